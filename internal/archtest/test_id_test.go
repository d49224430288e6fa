package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// testIDRoom is the room whose NewTestID makes the identity of a test out of text,
// hostileRoom the one that makes what no program would for the databases' tests.
const (
	testIDRoom  = "engine"
	hostileRoom = "store/storetest"
)

// CheckTestIDs returns one sentence for every place outside these rooms that makes a
// text the identity of a test without cleaning it.
func CheckTestIDs(packages []Package) ([]string, error) {
	return scanFiles(packages, func(room string) bool { return room != testIDRoom && room != hostileRoom }, testIDConversions)
}

// testIDConversions parses one file, or src when there is one, and returns where it
// converts something to engine.TestID.
func testIDConversions(name string, src any) ([]string, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	local := localName(file, Module+"/"+testIDRoom)
	if local == "." {
		return []string{name + " imports engine with a dot, so its conversions cannot be seen"}, nil
	}
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && memberOf(ast.Unparen(call.Fun), local) == "TestID" {
			found = append(found, fmt.Sprintf("%s converts to engine.TestID: engine.NewTestID makes it", files.Position(call.Pos())))
		}
		return true
	})
	return found, nil
}

func TestTestIDsAreMadeInOnePlace(t *testing.T) {
	broken, err := CheckTestIDs(list(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range broken {
		t.Error(b)
	}
}

func TestConversionsToTestIDsAreFound(t *testing.T) {
	const path = "import \"" + Module + "/engine\"\n"
	for _, c := range []struct{ name, src, want string }{
		{"a conversion", path + "var x = engine.TestID(y)", "x.go:3:9 converts to engine.TestID: engine.NewTestID makes it"},
		{"in parentheses", path + "var x = (engine.TestID)(y)", "x.go:3:9 converts to engine.TestID: engine.NewTestID makes it"},
		{"another name", "import e \"" + Module + "/engine\"\nvar x = e.TestID(y)", "x.go:3:9 converts to engine.TestID: engine.NewTestID makes it"},
		{"a dot", "import . \"" + Module + "/engine\"", "x.go imports engine with a dot, so its conversions cannot be seen"},
		{"the constructor", path + "var x = engine.NewTestID(y)", ""},
		{"the type", path + "var x engine.TestID = \"a\"", ""},
		{"another engine", "import \"example.org/engine\"\nvar x = engine.TestID(y)", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := testIDConversions("x.go", "package x\n"+c.src+"\n")
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(found, "\n"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
