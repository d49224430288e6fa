package detect

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"
)

// Excluded returns why the workspace above a suite's folder does not install what the
// suite needs, "" when it does or there is none: the folder is a package with no lock
// file of its own, and the workspace leaves it out
// (https://pnpm.io/pnpm-workspace_yaml, https://docs.npmjs.com/cli/using-npm/workspaces).
func (p *Checkout) Excluded(s Suite) string {
	if s.Lang != TS {
		return ""
	}
	_, top := p.packageManager(s.Dir)
	dir, _ := p.nearestAbove(s.Dir, "package.json")
	globs, file := p.workspace(top)
	if dir == "" || dir == top || len(globs) == 0 {
		return ""
	}
	name := strings.TrimPrefix(dir, top+"/")
	matches := func(glob string) bool {
		ok, err := doublestar.Match(strings.Trim(strings.TrimPrefix(glob, "./"), "/"), name)
		return ok && err == nil
	}
	member := false
	for _, glob := range globs {
		if without, found := strings.CutPrefix(glob, "!"); found {
			if matches(without) {
				return "left out by " + file + " (" + glob + ")"
			}
		} else {
			member = member || matches(glob)
		}
	}
	if !member {
		return "no workspace of " + file
	}
	return ""
}

// workspace returns the globs of the packages that are installed in a folder, and the
// file that names them.
func (p *Checkout) workspace(dir string) (globs []string, file string) {
	file = path.Join(dir, "pnpm-workspace.yaml")
	if text := p.Text(file); text != "" {
		var own struct{ Packages []string }
		if yaml.Unmarshal([]byte(text), &own) != nil {
			return nil, file
		}
		return own.Packages, file
	}
	list, ok := p.Package(dir).Workspaces.([]any)
	if object, isObject := p.Package(dir).Workspaces.(map[string]any); isObject {
		list, ok = object["packages"].([]any)
	}
	if !ok {
		return nil, ""
	}
	for _, glob := range list {
		if text, ok := glob.(string); ok {
			globs = append(globs, text)
		}
	}
	return slices.Clip(globs), path.Join(dir, "package.json")
}
