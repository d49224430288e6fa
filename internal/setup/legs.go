package setup

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/internal/setup/detect"
)

// legs are the legs of a job's matrix that run other suites than each other.
type legs struct {
	key    string           // of the matrix, by whose values they differ; "" when all legs run the same suites
	suites [][]detect.Suite // what the legs of each value run
	folder string           // of a leg's suite, with the key's expression; "" where no one text tells those of all
}

// matrixUse matches an expression that is a key of the matrix.
var matrixUse = lazyregexp.New(`\$\{\{\s*matrix\.([A-Za-z_][\w-]*)\s*\}\}`)

// findLegs finds which suites the legs of a matrix run by a script that starts in dir.
func findLegs(c commands, run, dir string, matrix yaml.Node) legs {
	for _, m := range matrixUse.FindAllStringSubmatch(dir+"\n"+run, -1) {
		found := legs{key: m[1]}
		same := true
		var folders []string
		for _, value := range matrixValues(matrix, m[1]) {
			expand := func(text string) string {
				return matrixUse.ReplaceAllStringFunc(text, func(use string) string {
					if matrixUse.FindStringSubmatch(use)[1] == m[1] {
						return value
					}
					return use
				})
			}
			var leg testStep
			leg.findSuites(c, expand(run), folderOf(expand(dir)))
			for _, s := range leg.suites {
				folders = append(folders, templateOf(s.Dir, value, m[0]))
			}
			same = same && (len(found.suites) == 0 || slices.EqualFunc(leg.suites, found.suites[0], isSame))
			found.suites = append(found.suites, leg.suites)
		}
		if same && (len(folders) == 0 || slices.Contains(folders, "")) {
			continue
		}
		if folders = slices.Compact(folders); len(folders) == 1 && found.sameBelow() {
			found.folder = folders[0]
		}
		return found
	}
	return legs{}
}

// isSame reports whether two suites are the same one.
func isSame(a, b detect.Suite) bool { return a.Found == b.Found }

// matrixValues returns the texts that a key of a matrix can have, nil where an expression
// makes some of them.
func matrixValues(matrix yaml.Node, key string) []string {
	var values []string
	add := func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode && !slices.Contains(values, n.Value) {
			values = append(values, n.Value)
		}
	}
	for i := 0; i+1 < len(matrix.Content); i += 2 {
		name, of := matrix.Content[i].Value, matrix.Content[i+1]
		switch {
		case of.Kind == yaml.ScalarNode: // GitHub reads a list of them at run time
			if name == key || name == "include" {
				return nil
			}
		case name == key:
			for _, value := range of.Content {
				add(value)
			}
		case name == "include":
			for _, entry := range of.Content {
				for j := 0; j+1 < len(entry.Content); j += 2 {
					if entry.Content[j].Value == key {
						add(entry.Content[j+1])
					}
				}
			}
		}
	}
	if slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, "${{") }) {
		return nil
	}
	return values
}

// templateOf returns a folder with use in the place of value, "" unless value is whole
// folders of it, once.
func templateOf(dir, value, use string) string {
	const edge = "/"
	before, after, found := strings.Cut(edge+dir+edge, edge+path.Clean(value)+edge)
	if !found || value == "" || strings.Contains(edge+after, edge+value+edge) {
		return ""
	}
	return strings.Trim(before+edge+use+edge+after, edge)
}

// sameBelow reports whether the suites' results are in the same places below their folders.
func (l legs) sameBelow() bool {
	var first string
	for _, leg := range l.suites {
		for _, s := range leg {
			places := ""
			for _, key := range settingKeys {
				for _, glob := range key.of(s) {
					places += strings.TrimPrefix(glob, s.Dir+"/") + "\n"
				}
				places += "\n"
			}
			if first == "" {
				first = places
			}
			if places != first {
				return false
			}
		}
	}
	return true
}

// ownResults returns suites whose results are those of the leg that runs, where a text
// tells them, and whether one does.
func (l legs) ownResults() ([]detect.Suite, bool) {
	if l.folder == "" {
		return nil, false
	}
	all := slices.Concat(l.suites...)
	if len(all) == 0 {
		return nil, false
	}
	s := all[0] // the results of the others are in the same places
	for _, globs := range []*[]string{&s.Reports, &s.Traces, &s.Heals} {
		own := make([]string, len(*globs))
		for i, glob := range *globs {
			own[i] = glob
			if rest, below := strings.CutPrefix(glob, s.Dir+"/"); below {
				own[i] = l.folder + "/" + rest
			}
		}
		*globs = own
	}
	return []detect.Suite{s}, true
}
