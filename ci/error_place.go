package ci

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/redact"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/junit/location"
)

// Bounds on what is read to place errors: results with a failing attempt, and source
// files held at once.
const (
	maxPlaced    = 2_000
	maxHeldFiles = 64
)

// maxCode bounds a line of code in a place, in bytes.
const maxCode = 200

// errorPlacer finds the places of errors in the checkout.
type errorPlacer struct {
	root    string // of the checkout on this machine
	folder  string // of the checkout in its repository
	tree    *sourceTree
	secrets redact.Values
	files   map[string]string   // of the checkout, by how a text names them; "" for none
	lines   map[string][]string // of files of the checkout
}

// placeErrors says of every failing attempt where its error arose, in words that stay
// the same when lines above it come and go.
func (r *run) placeErrors() {
	p := &errorPlacer{root: r.collected.root, folder: r.root, tree: &r.tree, secrets: r.cfg.Secrets,
		files: map[string]string{}, lines: map[string][]string{}}
	placed := 0
	for i := range r.collected.results {
		result := &r.collected.results[i]
		if !slices.ContainsFunc(result.Attempts, func(a engine.Attempt) bool { return a.Status.Failing() }) {
			continue
		}
		if placed++; placed > maxPlaced {
			return
		}
		for j := range result.Attempts {
			if a := &result.Attempts[j]; a.Status.Failing() {
				a.Place = p.place(*result, *a)
			}
		}
	}
}

// place returns the first and the last place of the checkout that an error's text
// names, each as its file and the code there: where it was raised and where the test
// stood, in the order of its language.
func (p *errorPlacer) place(r engine.TestResult, a engine.Attempt) string {
	search := location.Search{Root: p.root, Own: r.File, Class: r.Class}
	named := search.Places(a.Text)
	if len(named) == 0 {
		named = search.Places(a.Message)
	}
	var found []location.Place
	for _, place := range named {
		if place.File = p.fileOf(place.File, r.File); place.File != "" {
			found = append(found, place)
		}
	}
	if len(found) == 0 {
		return ""
	}
	first, last := p.describe(found[0], r.File), p.describe(found[len(found)-1], r.File)
	if first == last {
		return first
	}
	return first + ", " + last
}

// fileOf returns the source file of the checkout that a text names, "" where there is
// none or more than one. The test's own file goes first.
func (p *errorPlacer) fileOf(name, own string) string {
	if strings.HasSuffix("/"+own, "/"+name) {
		name = own
	}
	file, known := p.files[name]
	if !known {
		file = p.findFile(withoutRoot(name, p.folder, p.tree.source))
		p.files[name] = file
	}
	return file
}

func (p *errorPlacer) findFile(name string) string {
	if !looksLikeSource(name) || inUnlistedFolder(name) {
		return ""
	}
	if _, err := fs.Stat(p.tree.source, name); err == nil {
		return name
	}
	if found := bySuffix(name, p.tree.list()); len(found) == 1 {
		return found[0]
	}
	return ""
}

// describe returns a place as its file and the code there: "cart.ts: pay();", with the
// number of the line among equal ones where it is not the first. The test's own file is
// called "test", so that a test that moves keeps its errors.
func (p *errorPlacer) describe(place location.Place, own string) string {
	name := place.File
	if name == own {
		name = "test"
	}
	lines := p.linesOf(place.File)
	if place.Line > len(lines) {
		return name
	}
	code := lines[place.Line-1]
	nth := 1
	for _, line := range lines[:place.Line-1] {
		if line == code {
			nth++
		}
	}
	code = p.secrets.Text(redact.Text(code))
	if nth > 1 {
		code += fmt.Sprintf(" (%d)", nth)
	}
	return name + ": " + code
}

// linesOf returns the lines of a file, each on one line and bounded; none where it
// cannot be read.
func (p *errorPlacer) linesOf(file string) []string {
	lines, known := p.lines[file]
	if known {
		return lines
	}
	if len(p.lines) >= maxHeldFiles {
		clear(p.lines)
	}
	if content, err := readSource(p.tree.source, path.Clean(file)); err == nil {
		for line := range bytes.Lines(content) {
			lines = append(lines, text.Cut(text.Line(string(line[:min(len(line), 2*maxCode)])), maxCode))
		}
	}
	p.lines[file] = lines
	return lines
}
