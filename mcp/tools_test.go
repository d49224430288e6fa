package mcp_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/breadcrumb/action/internal/golden"
)

var code = regexp.MustCompile(`[A-Z2-7]{26}`)

func TestAnswers(t *testing.T) {
	t.Chdir(t.TempDir())
	history(t, "shop.db")
	a := newAsker(t, "shop.db")
	for tool, arguments := range questions() {
		a.ask(tool, arguments)
		result, err := a.session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		var pretty strings.Builder
		enc := json.NewEncoder(&pretty)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		text := code.ReplaceAllString(result.Content[0].(*sdk.TextContent).Text, "CODE")
		if err := enc.Encode(json.RawMessage(text)); err != nil {
			t.Fatal(err)
		}
		// The file's size and what a newer schema is called are not the tool's.
		golden.Check(t, originalDir+"/testdata/answers/"+tool+".json", regexp.MustCompile(`, 0\.\d MB`).ReplaceAllString(pretty.String(), ", N MB"))
	}
}

// originalDir is the package's directory.
var originalDir = func() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	return dir
}()

// The names and keys of the tools before Breadcrumb, which clients know.
func TestTheSeedsToolsHaveItsArgumentsAndKeys(t *testing.T) {
	a := newAsker(t, shop(t))
	tools := map[string]*sdk.Tool{}
	for _, tool := range a.tools() {
		tools[tool.Name] = tool
	}
	for name, want := range map[string]struct{ arguments, keys, items []string }{
		"breadcrumb_stats":  {[]string{"db_path"}, []string{"fingerprints", "healing_events"}, nil},
		"breadcrumb_report": {[]string{"db_path", "days"}, []string{"generated_at", "period_days", "summary", "healing_events", "flaky_tests", "top_locators"}, nil},
		"breadcrumb_doctor": {[]string{"db_path"}, []string{"db_path", "schema_version", "fingerprints", "stale_fingerprints", "healing_events",
			"test_runs", "quarantined_tests", "status"}, nil},
		"breadcrumb_healing_events":    {[]string{"db_path", "test_id", "limit"}, []string{"healing_events"}, []string{"test_id", "locator", "confidence", "timestamp"}},
		"breadcrumb_flaky_tests":       {[]string{"db_path"}, []string{"classifications", "quarantined"}, nil},
		"breadcrumb_list_fingerprints": {[]string{"db_path"}, []string{"fingerprints"}, []string{"test_id", "locator", "tag", "text", "dom_path", "attributes"}},
	} {
		properties := tools[name].InputSchema.(map[string]any)["properties"].(map[string]any)
		for _, argument := range want.arguments {
			if properties[argument] == nil {
				t.Errorf("%s has no argument %s", name, argument)
			}
		}
		answer := a.ask(name, map[string]any{"db_path": a.path})
		lacks(t, name, answer, want.keys)
		if want.items != nil {
			lacks(t, name+" items", answer[want.keys[0]].([]any)[0].(map[string]any), want.items)
		}
	}
	lacks(t, "summary", a.ask("breadcrumb_report", nil)["summary"].(map[string]any), []string{"total", "stable", "healed", "flaky", "failing"})
}

func lacks(t *testing.T, where string, object map[string]any, keys []string) {
	t.Helper()
	for _, key := range keys {
		if _, ok := object[key]; !ok {
			t.Errorf("%s has no key %s but %v", where, key, slices.Sorted(maps.Keys(object)))
		}
	}
}

func TestEveryToolDeclaresThatItOnlyReads(t *testing.T) {
	for _, tool := range newAsker(t, shop(t)).tools() {
		hints := tool.Annotations
		network := tool.Name == "breadcrumb_generate_tests"
		if !hints.ReadOnlyHint || !hints.IdempotentHint || *hints.DestructiveHint || *hints.OpenWorldHint != network {
			t.Errorf("%s: %+v", tool.Name, hints)
		}
		if tool.OutputSchema == nil || tool.Description == "" || tool.Title == "" {
			t.Errorf("%s declares too little: %+v", tool.Name, tool)
		}
	}
}

func TestInstructionsDeclareWhatIsUntrusted(t *testing.T) {
	instructions := newAsker(t, shop(t)).session.InitializeResult().Instructions
	for _, words := range []string{"untrusted_begin", "untrusted_end", "never an instruction"} {
		if !strings.Contains(instructions, words) {
			t.Errorf("the instructions do not say %q", words)
		}
	}
}

func TestListsAreCutAndSayBySoMany(t *testing.T) {
	a := newAsker(t, shop(t, "a", "b", "c", "d")) // with sign-in and payment
	answer := a.ask("breadcrumb_flaky_tests", map[string]any{"limit": 2})
	if got := len(answer["classifications"].(map[string]any)); got != 2 {
		t.Errorf("%d classifications", got)
	}
	if diff := cmp.Diff(map[string]any{"classifications": others + 4.0}, answer["truncated"]); diff != "" {
		t.Errorf("truncated (-want +got):\n%s", diff)
	}
	if _, worst := answer["classifications"].(map[string]any)[signsIn]; !worst {
		t.Errorf("the worst test was cut off: %v", answer["classifications"])
	}
	whole := a.ask("breadcrumb_flaky_tests", nil)
	if diff := cmp.Diff(map[string]any{}, whole["truncated"]); diff != "" {
		t.Errorf("truncated (-want +got):\n%s", diff)
	}
}

func TestATestIsExplainedByAPartOfItsNameOrTheLikeAreOffered(t *testing.T) {
	a := newAsker(t, shop(t))
	for _, asked := range []string{"SIGNS IN", "  1) [chromium] › login.spec.ts:6:3 › Login › signs in ────"} {
		if got := a.ask("breadcrumb_explain", map[string]any{"test_id": asked}); got["test_id"] != signsIn {
			t.Errorf("%q explains %v", asked, got["test_id"])
		}
	}
	if why := a.refused("breadcrumb_explain", map[string]any{"test_id": "spec.ts"}); !strings.Contains(why, signsIn) {
		t.Errorf("not offered: %s", why)
	}
	if why := a.refused("breadcrumb_explain", map[string]any{"test_id": "no such test"}); !strings.Contains(why, "breadcrumb_flaky_tests") {
		t.Errorf("nothing to go on with: %s", why)
	}
}

func TestBadArgumentsAreTheToolsOwnErrors(t *testing.T) {
	a := newAsker(t, shop(t))
	for name, tt := range map[string]struct {
		tool      string
		arguments map[string]any
	}{
		"wrong type":    {"breadcrumb_report", map[string]any{"days": "thirty"}},
		"fraction":      {"breadcrumb_report", map[string]any{"days": 1.5}},
		"negative":      {"breadcrumb_report", map[string]any{"days": -1}},
		"huge number":   {"breadcrumb_report", map[string]any{"days": 1e300}},
		"limit of none": {"breadcrumb_flaky_tests", map[string]any{"limit": 0}},
		"large limit":   {"breadcrumb_flaky_tests", map[string]any{"limit": 1 << 40}},
		"unknown name":  {"breadcrumb_stats", map[string]any{"sql": "DROP TABLE runs"}},
		"no test":       {"breadcrumb_explain", nil},
		"list for text": {"breadcrumb_explain", map[string]any{"test_id": []string{"a"}}},
		"long text":     {"breadcrumb_explain", map[string]any{"test_id": strings.Repeat("x", 5000)}},
		"null":          {"breadcrumb_explain", map[string]any{"test_id": nil}},
	} {
		if why := a.refused(tt.tool, tt.arguments); len(why) > 3000 {
			t.Errorf("%s: an error of %d bytes", name, len(why))
		}
	}
}

func TestAnArgumentIsNoSQLAndNoPattern(t *testing.T) {
	a := newAsker(t, shop(t))
	for _, id := range []string{"' OR '1'='1", "%", "*", signsIn + "'; DROP TABLE runs; --", "\x00", "../../etc/passwd", "\u202egnp.exe"} {
		answer := a.ask("breadcrumb_healing_events", map[string]any{"test_id": id})
		if answer["total"] != 0.0 {
			t.Errorf("%q found %v", id, answer)
		}
		if answer := a.ask("breadcrumb_list_fingerprints", map[string]any{"test_id": id}); answer["total"] != 0.0 {
			t.Errorf("%q found %v", id, answer)
		}
	}
	if answer := a.ask("breadcrumb_healing_events", map[string]any{"test_id": signsIn}); answer["total"] != 1.0 {
		t.Errorf("the history is damaged: %v", answer)
	}
}

func TestProposalsAreADiffThatApplies(t *testing.T) {
	a := newAsker(t, shop(t))
	answer := a.ask("breadcrumb_propose_patches", map[string]any{"days": 90, "test_id": signsIn})
	diff := answer["diff"].(string)
	for _, line := range []string{"--- a/login.spec.ts\n", "\n-    await page.locator(\"#login-btn\").click();\n", "\n+    await page.getByTestId(\"login\").click();\n"} {
		if !strings.Contains(diff, line) {
			t.Errorf("no %q in\n%s", line, diff)
		}
	}
	if answer := a.ask("breadcrumb_propose_patches", map[string]any{"days": 90, "test_id": pays}); answer["total"] != 0.0 || answer["diff"] != "" {
		t.Errorf("a test that healed nothing has %v", answer)
	}
}
