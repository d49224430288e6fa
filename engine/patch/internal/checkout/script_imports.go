package checkout

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// aliases are the path mappings of a tsconfig.json
// (https://www.typescriptlang.org/tsconfig/#paths).
type aliases struct {
	base     string // folder that the targets are relative to
	rooted   bool   // baseUrl is set: bare names are looked for below base
	patterns []alias
}

type alias struct {
	prefix, suffix string
	star           bool
	targets        []string
}

// resolveName returns the paths that a bare module name may stand for, best first.
func (a *aliases) resolveName(name string) []string {
	var out []string
	for _, p := range a.patterns {
		middle := ""
		switch {
		case p.star && len(name) >= len(p.prefix)+len(p.suffix) && strings.HasPrefix(name, p.prefix) && strings.HasSuffix(name, p.suffix):
			middle = name[len(p.prefix) : len(name)-len(p.suffix)]
		case p.star || name != p.prefix:
			continue
		}
		for _, target := range p.targets {
			out = append(out, path.Join(a.base, strings.Replace(target, "*", middle, 1)))
		}
	}
	if a.rooted {
		out = append(out, path.Join(a.base, name))
	}
	return out
}

// aliasesOf returns the mappings of the nearest tsconfig.json or jsconfig.json
// at or above dir that has any, empty ones when there is none.
func (t *Tree) aliasesOf(dir string) *aliases {
	if got, ok := t.aliasesByFolder[dir]; ok {
		return got
	}
	var found *aliases
	for _, name := range []string{"tsconfig.json", "jsconfig.json"} {
		if found = t.readAliases(path.Join(dir, name), 0); found != nil {
			break
		}
	}
	switch {
	case found != nil:
	case dir == ".":
		found = &aliases{}
	default:
		found = t.aliasesOf(path.Dir(dir))
	}
	t.aliasesByFolder[dir] = found
	return found
}

// maxExtends bounds how many configurations are followed upwards.
const maxExtends = 5

// readAliases reads one configuration, nil when it maps nothing.
func (t *Tree) readAliases(file string, depth int) *aliases {
	text := t.Bytes(file)
	if len(text) == 0 || depth > maxExtends {
		return nil
	}
	var config struct {
		Extends         json.RawMessage
		CompilerOptions struct {
			BaseURL *string `json:"baseUrl"`
			Paths   map[string][]string
		}
	}
	if json.Unmarshal(plainJSON(text), &config) != nil {
		return nil
	}
	out := &aliases{base: path.Dir(file)}
	if url := config.CompilerOptions.BaseURL; url != nil {
		out.base, out.rooted = path.Join(path.Dir(file), *url), true
	}
	for from, targets := range config.CompilerOptions.Paths {
		p := alias{targets: targets}
		p.prefix, p.suffix, p.star = strings.Cut(from, "*")
		out.patterns = append(out.patterns, p)
	}
	slices.SortFunc(out.patterns, func(a, b alias) int { // the longest prefix wins
		return cmp.Or(cmp.Compare(len(b.prefix), len(a.prefix)), cmp.Compare(a.prefix, b.prefix))
	})
	if len(out.patterns) > 0 || out.rooted {
		return out
	}
	var parent string
	if json.Unmarshal(config.Extends, &parent) != nil || !strings.HasPrefix(parent, ".") {
		return nil
	}
	parent = path.Join(path.Dir(file), parent)
	if !strings.HasSuffix(parent, ".json") {
		parent += ".json"
	}
	return t.readAliases(parent, depth+1)
}

// plainJSON returns the JSON in a configuration that may hold comments and
// trailing commas.
func plainJSON(text []byte) []byte {
	tokens, err := scan.Scan(scan.TypeScript, text)
	if err != nil {
		return nil
	}
	var out []byte
	for i, t := range tokens {
		if t.Kind == scan.Comment {
			continue
		}
		if t.Closes && len(out) > 0 && out[len(out)-1] == ',' {
			out = out[:len(out)-1]
		}
		if i > 0 && t.Kind == scan.Ident {
			out = append(out, ' ')
		}
		out = append(out, text[t.Start:t.End]...)
	}
	return out
}

var scriptImport = lazyregexp.New(`(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*['"]([^'"\n]+)['"]`)

// scriptImports follows relative imports and the aliases of the nearest
// tsconfig.json or jsconfig.json. Lines without an import word are not worth the
// expression.
func (t *Tree) scriptImports(file string, text []byte) []string {
	var out []string
	for line := range bytes.Lines(text) {
		if !bytes.Contains(line, []byte("from")) && !bytes.Contains(line, []byte("import")) && !bytes.Contains(line, []byte("require")) {
			continue
		}
		for _, m := range scriptImport.FindAllSubmatch(line, -1) {
			out = append(out, t.ResolveModule(file, string(m[1]))...)
		}
	}
	return out
}

// ResolveModule returns the file that a script means by the name of a module.
func (t *Tree) ResolveModule(file, name string) []string {
	if strings.HasPrefix(name, ".") {
		return t.scriptFile(path.Join(path.Dir(file), name))
	}
	for _, target := range t.aliasesOf(path.Dir(file)).resolveName(name) {
		if out := t.scriptFile(target); len(out) > 0 {
			return out
		}
	}
	return nil
}

var scriptEnds = []string{"", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", "/index.ts", "/index.tsx", "/index.js", "/index.mjs"}

// scriptFile returns the file that an extensionless module name means. A name
// in .js may be compiled from .ts.
func (t *Tree) scriptFile(name string) []string {
	found := t.firstFile(name, scriptEnds...)
	if ext := path.Ext(name); len(found) == 0 && slices.Contains([]string{".js", ".mjs", ".cjs", ".jsx"}, ext) {
		found = t.firstFile(strings.TrimSuffix(name, ext), scriptEnds...)
	}
	return found
}
