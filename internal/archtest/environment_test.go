package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// identityVariables say who a run is. Only ci/gh asks for them, once: everybody else
// is given an engine.RunInfo.
var identityVariables = []string{
	"GITHUB_BASE_REF", "GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH", "GITHUB_HEAD_REF", "GITHUB_JOB", "GITHUB_REF", "GITHUB_REF_NAME", "GITHUB_REPOSITORY_ID",
	"GITHUB_RUN_ATTEMPT", "GITHUB_RUN_ID", "GITHUB_SHA", "GITHUB_WORKFLOW", "GITHUB_WORKFLOW_REF", "RUNNER_NAME",
}

// CheckIdentity returns one sentence for every place outside ci/gh that names a
// variable which says who the run is.
func CheckIdentity(packages []Package) ([]string, error) {
	return scanFiles(packages, func(room string) bool { return room != forgeRoom && room != "test" }, identityUses)
}

// identityUses parses one file, or src when there is one, and returns where it names a
// variable of a run's identity.
func identityUses(name string, src any) ([]string, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil && slices.Contains(identityVariables, text) {
				found = append(found, fmt.Sprintf("%s asks for %s: a run's identity is engine.RunInfo, which ci/gh makes once", files.Position(n.Pos()), text))
			}
		}
		return true
	})
	return found, nil
}

func TestARunsIdentityIsAskedForInOnePlace(t *testing.T) {
	broken, err := CheckIdentity(list(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, sentence := range broken {
		t.Error(sentence)
	}
	for source, want := range map[string]int{
		`package x; var a = os.Getenv("GITHUB_JOB")`:              1,
		"package x; var a = getenv(`GITHUB_RUN_ID`)":              1,
		`package x; var a = os.Getenv("GITHUB_TOKEN")`:            0,
		`package x; const text = "GITHUB_JOB is the job's id"`:    0,
		`package x; var a, b = "GITHUB_SHA", "GITHUB_EVENT_PATH"`: 2,
	} {
		found, err := identityUses("x.go", source)
		if err != nil || len(found) != want {
			t.Errorf("%s: %q, %v", source, found, err)
		}
	}
}
