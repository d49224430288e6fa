package values

import (
	"slices"

	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// implementersOf returns the functions of a name that classes of other files than the known
// ones have for what an interface of a file of Java or C# declares: driver.click(selector) of
// an IDriver.
func implementersOf(in *source.File, t *checkout.Tree, name string, known []*source.File) []Helper {
	if lang := in.Dialect.Scan; lang != scan.Java && lang != scan.CSharp {
		return nil
	}
	var out []Helper
	for _, i := range in.Idents[name] {
		if _, hasCode := helperAt(in, i); hasCode || !IsFunction(in, i) {
			continue
		}
		for _, file := range t.FilesReaching(in, name) {
			if !slices.Contains(known, file) {
				out = append(out, methodsBelow(file, name, in.ClassAround(i))...)
			}
		}
	}
	return out
}

// methodsBelow returns the methods of a name in the classes of a file that inherit from one.
func methodsBelow(file *source.File, name, base string) []Helper {
	var out []Helper
	for _, k := range file.Idents[name] {
		f, ok := helperAt(file, k)
		inherits := func(i int) bool { return file.Subtype(i) == f.class }
		if ok && f.class != "" && slices.ContainsFunc(file.Idents[base], inherits) {
			out = append(out, f)
		}
	}
	return out
}
