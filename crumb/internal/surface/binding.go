package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/breadcrumb/action/internal/playwrightgo"
)

// binding is a module that drives browsers, and the package that wraps it.
type binding struct{ name, folder, module string }

var (
	crumb     = binding{"crumb", ".", playwrightgo.Module}
	community = binding{"community", "community", playwrightgo.Community}
)

// crumbPath is what users import.
const crumbPath = "github.com/breadcrumb/action/crumb"

// translate returns a file of package crumb, or of its tests, as one of community.
func translate(source []byte) []byte {
	source = append([]byte("\n"), source...) // so that a package clause follows a line end
	for _, change := range []struct{ from, to string }{
		{"\npackage crumb", "\npackage community"},
		{`"` + crumb.module + `"`, `"` + community.module + `"`},
		{`"` + crumbPath + `"`, `crumb "` + crumbPath + `/community"`},
	} {
		source = bytes.ReplaceAll(source, []byte(change.from), []byte(change.to))
	}
	return source[1:]
}

// writeTests writes crumb's tests as tests of community into a folder, with the browser
// of its module, and the file that has `go test -overlay` find them there
// (https://pkg.go.dev/cmd/go). They run in crumb's folder, beside its testdata.
func writeTests(from, out, overlay string) error {
	o := map[string]string{}
	for _, each := range []struct {
		pattern, target string
		change          func([]byte) []byte
	}{
		{"*_test.go", community.folder, translate},
		{"testdata/*", community.folder + "/testdata", bytes.Clone}, // what they embed
		{"../internal/browsertest/browser*.go", "../internal/browsertest", translate},
	} {
		files, err := filepath.Glob(filepath.Join(from, each.pattern))
		if err != nil {
			return err
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			written := filepath.Join(out, filepath.Base(each.target), filepath.Base(file)+".overlay") // no package of this module
			if err := writeFile(written, each.change(source)); err != nil {
				return err
			}
			place, err := filepath.Abs(filepath.Join(from, each.target, filepath.Base(file)))
			if err != nil {
				return err
			}
			if o[place], err = filepath.Abs(written); err != nil {
				return err
			}
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": o})
	if err != nil {
		return err
	}
	return os.WriteFile(overlay, text, 0o644)
}
