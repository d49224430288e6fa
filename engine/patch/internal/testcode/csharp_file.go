package testcode

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// csharpFileOf returns the only C# file with the class and the method of a test, "" for none:
// C# names no file after its class.
func csharpFileOf(tree *checkout.Tree, h engine.HealEvent, t *engine.TestResult) (string, error) {
	method := Identify(h, t).functionName()
	namespace, class := csharpClass(h, t)
	if class == "" || method == "" {
		return "", nil
	}
	found := ""
	dialect, _ := source.DialectOf(".cs")
	for _, file := range tree.FilesNaming(tree.AllNaming(dialect, class), method) {
		src, err := tree.Load(file)
		switch {
		case err != nil:
			return "", err
		case !declaresTest(src, class, method) || !bytes.Contains(src.Bytes, []byte(namespace)):
		case found != "":
			return "", fmt.Errorf("the test could be in %s or in %s", source.Printable(found), src.Name())
		default:
			found = file
		}
	}
	return found, nil
}

// csharpClass returns the namespace and the class of a test, as its result or its id names
// them.
func csharpClass(h engine.HealEvent, t *engine.TestResult) (namespace, class string) {
	name := ""
	if names := ParseID(h.TestID).Names; len(names) > 1 {
		name = names[len(names)-2]
	}
	if t != nil && t.Class != "" {
		name = t.Class
	}
	if !className.MatchString(name) {
		return "", ""
	}
	dot := strings.LastIndexByte(name, '.')
	return name[:max(dot, 0)], name[dot+1:]
}

// declaresTest reports whether a file declares a method as a test of a class.
func declaresTest(src *source.File, class, method string) bool {
	for _, at := range FindBodies(src, Identity{Names: []string{method}}).Own {
		if src.ClassAround(src.TokenFrom(at.Start)) == class {
			return true
		}
	}
	return false
}
