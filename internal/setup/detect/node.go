package detect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/internal/pwconfig"
)

// configNames are Playwright's, in the order it looks for them.
var configNames = []string{
	"playwright.config.ts", "playwright.config.js", "playwright.config.mts", "playwright.config.mjs", "playwright.config.cts", "playwright.config.cjs",
}

var (
	configName   = lazyregexp.New(`^playwright\.config\.[mc]?[jt]s$`)
	packageName  = lazyregexp.New(`^package\.json$`)
	scriptName   = lazyregexp.New(`^[\w][\w:.-]*$`)
	plainScript  = lazyregexp.New(`^(?:(?:npx|pnpm exec|yarn|bunx) )?playwright test$`)
	forPeople    = lazyregexp.New(`--ui\b|--headed|--debug|--grep|-g |--project|--last-failed|--update-snapshots|show-report`)
	manyBrowsers = lazyregexp.New(`(?i)firefox|webkit|safari|iphone|ipad|msedge|chrome["']|\.\.\.\w|from ["'` + "`" + `]\.`)
)

var (
	// RunsPlaywright matches a script of a package that runs the tests.
	RunsPlaywright = lazyregexp.New(`playwright test\b`)
	// EndsOpen matches one that ends with Playwright's own command, so that flags
	// added to it reach Playwright.
	EndsOpen = lazyregexp.New(`(^|&& |[\w=] )(npx |pnpm exec |yarn )?playwright test[^'"&|;]*$`)
)

// PackageFile is the part of a package.json that is read.
type PackageFile struct {
	Name            string
	Scripts         map[string]string `json:"scripts"`
	Dependencies    map[string]string `json:"dependencies"`
	DevDependencies map[string]string `json:"devDependencies"`
	Workspaces      any               `json:"workspaces"` // a list, or an object with packages
	Engines         struct{ Node string }
	Volta           struct{ Node string }
}

// Package returns the package.json of a folder, empty when it cannot be read:
// Unreadable reports the error.
func (p *Checkout) Package(dir string) PackageFile {
	file, known := p.packages[dir]
	if !known {
		file, _ = p.parsePackage(path.Join(dir, "package.json"))
		p.packages[dir] = file
	}
	return file
}

func (p *Checkout) parsePackage(name string) (file PackageFile, err error) {
	text := strings.TrimPrefix(p.Text(name), "\ufeff") // npm removes it, too
	if text == "" {
		return file, nil
	}
	return file, json.Unmarshal([]byte(text), &file)
}

// Unreadable lists the package.json files that name Playwright but cannot be
// parsed.
func (p *Checkout) Unreadable() []string {
	var all []string
	for _, name := range p.Files(packageName) {
		if _, err := p.parsePackage(name); err != nil && strings.Contains(p.Text(name), "@playwright/test") {
			all = append(all, fmt.Sprintf("%s cannot be read and is left out: %v", name, err))
		}
	}
	return all
}

// nodeSuites returns the suites of Playwright Test: one for each folder with a
// configuration, or with a package that depends on it and has no configuration
// below.
func (p *Checkout) nodeSuites() []Suite {
	var suites []Suite
	seen := map[string]bool{}
	for _, name := range p.Files(configName) {
		if dir := path.Dir(name); !seen[dir] {
			seen[dir] = true
			suites = append(suites, p.playwrightSuite(dir, path.Join(dir, p.firstFile(dir, configNames...))))
		}
	}
	for _, name := range p.Files(packageName) {
		dir := path.Dir(name)
		covered := slices.ContainsFunc(suites, func(s Suite) bool { return dir == "." || s.Dir == dir || strings.HasPrefix(s.Dir, dir+"/") })
		file := p.Package(dir)
		uses := file.Dependencies["@playwright/test"] != "" || file.DevDependencies["@playwright/test"] != ""
		if !covered && uses {
			suites = append(suites, p.playwrightSuite(dir, ""))
		}
	}
	return suites
}

// manager is how a package manager installs and runs.
type manager struct{ lock, name, install, exec string }

var managers = []manager{
	{"pnpm-lock.yaml", "pnpm", "corepack enable && pnpm install --frozen-lockfile", "pnpm exec"},
	{"bun.lock", "bun", "npm install --global bun && bun install --frozen-lockfile", "bunx"},
	{"bun.lockb", "bun", "npm install --global bun && bun install --frozen-lockfile", "bunx"},
	{"yarn.lock", "yarn", "corepack enable && yarn install --immutable", "yarn"},
	{"package-lock.json", "npm", "npm ci", "npx"},
	{"npm-shrinkwrap.json", "npm", "npm ci", "npx"},
}

// packageManager returns the package manager of a folder, and the folder in which
// it installs.
func (p *Checkout) packageManager(dir string) (m manager, at string) {
	var locks []string
	for _, m := range managers {
		locks = append(locks, m.lock)
	}
	at, lock := p.nearestAbove(dir, locks...)
	if lock == "" {
		at, _ = p.nearestAbove(dir, "package.json")
		return manager{"", "npm", "npm install", "npx"}, cmp.Or(at, dir)
	}
	m = managers[slices.Index(locks, lock)]
	if m.name == "yarn" && strings.Contains(p.Text(path.Join(at, lock)), "# yarn lockfile v1") {
		m.install = "yarn install --frozen-lockfile"
	}
	return m, at
}

// playwrightSuite returns the suite of Playwright Test in dir.
func (p *Checkout) playwrightSuite(dir, config string) Suite {
	m, at := p.packageManager(dir)
	s := Suite{Lang: TS, Runner: "Playwright Test", Dir: dir, Config: p.followConfig(config), Found: config, Traces: below(dir, traces)}
	text := p.Text(s.Config)
	if p.Improve {
		if better, ok := pwconfig.Improve([]byte(text), p.settings(s.Config, text)); ok {
			text = string(better)
		}
	}
	browsers := " chromium"
	if config == "" || manyBrowsers.MatchString(text) {
		browsers = ""
	}
	if config == "" {
		s.Found = path.Join(dir, "package.json")
	}
	s.Setup = append(p.nodeVersion(at), Step{Run: m.install, Dir: at}, Step{Run: m.exec + " playwright install --with-deps" + browsers, Dir: dir})
	script := testScript(p.Package(dir).Scripts)
	s.Test = Step{Run: m.exec + " playwright test", Dir: dir}
	if script.name != "" {
		s.scripted, s.openEnded = true, EndsOpen.MatchString(script.text)
		s.Test.Run = m.name + " run " + script.name
	}
	s.chooseReport(p.settings(s.Config, text))
	return s
}

// Settings returns what a Playwright configuration sets: its own, those of the file that
// it re-exports, and those of the configurations that it is spread or defined from.
func (p *Checkout) Settings(config string) pwconfig.Config {
	name := p.followConfig(config)
	return p.settings(name, p.Text(name))
}

// settings returns what the text of a configuration sets, with its bases.
func (p *Checkout) settings(name, text string) pwconfig.Config {
	c := pwconfig.Read([]byte(text))
	p.addBases(&c, name, text)
	return c
}

var (
	imported = lazyregexp.New(`(?:import\s+(?:\w+\s*,\s*)?(\w+|\{[^}]*\})\s+from\s*|(?:const|let|var)\s+(\w+|\{[^}]*\})\s*=\s*require\(\s*)["']([^"']+)["']`)
	spread   = lazyregexp.New(`(?:\.\.\.\s*|defineConfig\(\s*)(\w+)\s*(?:[,}]|$)`)
	word     = lazyregexp.New(`\w+`)
)

// addBases adds the settings of the configurations that a configuration is spread from.
// One that is no file of the checkout may set the reporters, which are asked for then.
func (p *Checkout) addBases(c *pwconfig.Config, name, text string) {
	used := map[string]bool{}
	for _, m := range spread.FindAllStringSubmatch(text, -1) {
		used[m[1]] = true
	}
	for _, m := range imported.FindAllStringSubmatch(text, -1) {
		if !slices.ContainsFunc(word.FindAllString(m[1]+m[2], -1), func(name string) bool { return used[name] }) {
			continue
		}
		if base := p.findImport(name, m[3]); base != "" {
			c.Inherit(pwconfig.Read([]byte(p.Text(p.followConfig(base)))))
		} else if !c.Configured {
			c.Configured, c.Chosen = true, true
		}
	}
}

// nodeVersion returns the step for the version of Node that a folder asks for, or else
// the nearest one above.
func (p *Checkout) nodeVersion(dir string) []Step {
	for ; ; dir = path.Dir(dir) {
		name := p.firstFile(dir, ".nvmrc", ".node-version", ".tool-versions")
		if file := p.Package(dir); name == "" && (file.Engines.Node != "" || file.Volta.Node != "") {
			name = "package.json"
		}
		if name != "" {
			return []Step{{Uses: setupNode, With: []Pair{{"node-version-file", path.Join(dir, name)}}}}
		}
		if dir == "." {
			return nil
		}
	}
}

// reexport matches a configuration that is another file's.
var reexport = lazyregexp.New(`(?:export\s*\{\s*default\s*\}\s*from|module\.exports\s*=\s*require\(|import\s+\w+\s+from)\s*["'](\.{1,2}/[\w./-]+)["']`)

// followConfig returns the file that holds the settings of a configuration: itself, or
// the one that it re-exports.
func (p *Checkout) followConfig(name string) string {
	for range maxDepth {
		text := p.Text(name)
		m := reexport.FindStringSubmatch(text)
		if m == nil || strings.Contains(text, "defineConfig") || strings.Contains(text, "{") && strings.Contains(text, "...") {
			return name
		}
		next := p.findImport(name, m[1])
		if next == "" {
			return name
		}
		name = next
	}
	return name
}

// findImport returns the file of the checkout that a file imports, "" for none.
func (p *Checkout) findImport(from, imports string) string {
	if !strings.HasPrefix(imports, ".") {
		return ""
	}
	at := path.Join(path.Dir(from), imports)
	found := p.firstFile(".", at, at+".ts", at+".js", at+".mts", at+".mjs", at+".cts", at+".cjs", at+"/index.ts", at+"/index.js")
	if !filepath.IsLocal(filepath.FromSlash(found)) {
		return ""
	}
	return found
}

// script is one of a package's.
type script struct{ name, text string }

// testScript returns the script that runs the tests; "" when there is none, or
// when it does no more than Playwright's own command.
func testScript(scripts map[string]string) script {
	var found []script
	for _, name := range slices.Sorted(maps.Keys(scripts)) {
		if text := scripts[name]; RunsPlaywright.MatchString(text) && scriptName.MatchString(name) && !forPeople.MatchString(text) {
			found = append(found, script{name, strings.TrimSpace(text)})
		}
	}
	at := slices.IndexFunc(found, func(s script) bool { return s.name == "test:e2e" || s.name == "e2e" || s.name == "test" })
	if len(found) == 1 {
		at = 0
	}
	if at < 0 || plainScript.MatchString(found[at].text) {
		return script{}
	}
	return found[at]
}
