package pwconfig

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestImproveChangesOnlyWhatItUnderstands(t *testing.T) {
	const (
		junit = `["junit", { outputFile: "results/playwright.xml", includeRetries: true }]`
		trace = `trace: { mode: process.env.GITHUB_HEAD_REF ? "retain-on-failure" : "on", screenshots: false, sources: false }`
	)
	for name, c := range map[string]struct{ before, after string }{
		"nothing said": {
			"export default defineConfig({\n  testDir: \"tests\",\n});\n",
			"export default defineConfig({\n  use: { actionTimeout: 5_000, " + trace + " },\n  reporter: [[\"list\"], " + junit + "],\n  testDir: \"tests\",\n});\n",
		},
		"one reporter by its name": {
			"module.exports = {\n\treporter: 'html', // pretty\n\tuse: { actionTimeout: 5, trace: 'on' },\n};\n",
			"module.exports = {\n\treporter: [['html'], " + strings.ReplaceAll(junit, `"`, "'") + "], // pretty\n\tuse: { actionTimeout: 5, trace: 'on' },\n};\n",
		},
		"several reporters and a trace": {
			"export default {\n  reporter: [\n    [\"list\"],\n    [\"html\", { open: \"never\" }],\n  ],\n  use: {\n    baseURL: \"http://x/*\", trace: \"on-first-retry\",\n  },\n};\n",
			"export default {\n  reporter: [\n    [\"list\"],\n    [\"html\", { open: \"never\" }], " + junit + "\n  ],\n  use: {\n    actionTimeout: 5_000,\n    baseURL: \"http://x/*\", trace: process.env.GITHUB_HEAD_REF ? \"retain-on-failure\" : \"on\",\n  },\n};\n",
		},
		"traces with options": {
			"export default {\n  reporter: 'blob', use: { actionTimeout: 5, trace: { mode: 'on-first-retry', screenshots: true } },\n};\n",
			"export default {\n  reporter: 'blob', use: { actionTimeout: 5, trace: { mode: process.env.GITHUB_HEAD_REF ? 'retain-on-failure' : 'on', screenshots: true } },\n};\n",
		},
		"traces of a mode that Playwright does not know": {
			"export default {\n  reporter: 'html', use: { actionTimeout: 5, trace: 'offf' },\n};\n",
			"export default {\n  reporter: [['html'], " + strings.ReplaceAll(junit, `"`, "'") + "], use: { actionTimeout: 5, trace: 'offf' },\n};\n",
		},
		"traces of a mode of new versions": {
			"export default {\n  reporter: 'blob', use: { actionTimeout: 5, trace: 'retain-on-failure-and-retries' },\n};\n",
			"export default {\n  reporter: 'blob', use: { actionTimeout: 5, trace: process.env.GITHUB_HEAD_REF ? 'retain-on-failure' : 'on' },\n};\n",
		},
		"traces switched off": {
			"export default {\n  reporter: \"blob\", use: { actionTimeout: 5, trace: \"off\" },\n};\n",
			"export default {\n  reporter: \"blob\", use: { actionTimeout: 5, " + trace + " },\n};\n",
		},
		"all well":                   {`export default { reporter: "blob", use: { actionTimeout: 5, trace: { mode: "on" } } };`, ""},
		"reporters by a variable":    {`export default { reporter: reporters, use: common };`, ""},
		"options spread from others": {"export default {\n  reporter: \"blob\", use: { ...common },\n};\n", ""},
		"spread from another":        {"export default {\n  ...base,\n};\n", ""},
		"defined from another":       {"export default defineConfig(base, {\n  testDir: 'e2e',\n});\n", ""},
		"spread, with its own reporter": {
			"export default {\n  ...base,\n  reporter: 'html',\n};\n",
			"export default {\n  ...base,\n  reporter: [['html'], " + strings.ReplaceAll(junit, `"`, "'") + "],\n};\n",
		},
		"two objects":              {"export default defineConfig({});\nconst other = defineConfig({});\n", ""},
		"no object":                {"export default config;\n", ""},
		"an object without an end": {"export default {\n  reporter: \"html\",\n", ""},
		"only in a comment":        {"// export default {\nexport default config;\n", ""},
		"windows lines":            {"export default {\r\n};\r\n", ""},
	} {
		after, ok := Improve([]byte(c.before), Read([]byte(c.before)))
		if !ok {
			after = nil
		}
		if diff := cmp.Diff(c.after, string(after)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// What a base sets is not written again, except where it does not hold or is not enough.
func TestImproveLeavesWhatABaseSets(t *testing.T) {
	const (
		timeout = "actionTimeout: 5_000, "
		trace   = `trace: { mode: process.env.GITHUB_HEAD_REF ? "retain-on-failure" : "on", screenshots: false, sources: false }, `
		all     = `export default { reporter: "blob", use: { actionTimeout: 5, trace: "on", screenshot: "off" } };`
	)
	for name, c := range map[string]struct{ base, before, after string }{
		"spread":                           {all, `export default defineConfig({ ...base, testDir: "e2e" });`, ""},
		"spread, with a use that adds":     {all, `export default { ...base, use: { ...base.use, baseURL: "/" } };`, ""},
		"defined from it":                  {all, `export default defineConfig(base, { use: { baseURL: "/" } });`, ""},
		"spread, with a use of its own":    {all, `export default { ...base, use: { baseURL: "/" } };`, `export default { ...base, use: { ` + timeout + trace + `baseURL: "/" } };`},
		"spread, with its own reporter":    {all, `export default { ...base, reporter: "html" };`, `export default { ...base, reporter: [["html"], ` + junitReporter + `] };`},
		"a base that keeps too few traces": {`export default { reporter: "blob", use: { actionTimeout: 5, trace: "on-first-retry" } };`, `export default defineConfig(base, { use: { baseURL: "/" } });`, `export default defineConfig(base, { use: { ` + trace + `baseURL: "/" } });`},
	} {
		now := Read([]byte(c.before))
		now.Inherit(Read([]byte(c.base)))
		after, ok := Improve([]byte(c.before), now)
		if !ok {
			after = nil
		}
		if diff := cmp.Diff(c.after, string(after)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// What is written is an object with the words that were there, and more.
func FuzzImprove(f *testing.F) {
	f.Add([]byte("export default {\n  reporter: [['html']],\n  use: { trace: 'off' }, };\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		after, ok := Improve(text, Read(text))
		if !ok {
			return
		}
		if len(after) <= len(text) {
			t.Errorf("%q became %q", text, after)
		}
		if balance(maskLiterals(string(after))) != balance(maskLiterals(string(text))) {
			t.Errorf("the brackets of %q are not those of %q", after, text)
		}
	})
}

func balance(mask string) int {
	n := 0
	for _, c := range mask {
		switch c {
		case '{', '[', '(':
			n++
		case '}', ']', ')':
			n--
		}
	}
	return n
}
