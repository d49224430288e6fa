package generate

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"strings"
	"sync"
	"text/template"
	"unicode"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/playwrightgo"
)

// Lang is a language that tests are written in.
type Lang string

// The languages.
const (
	Go         Lang = "go"
	TypeScript Lang = "ts"
	Python     Lang = "python"
)

// Langs returns all languages.
func Langs() []Lang { return []Lang{Go, TypeScript, Python} }

// ParseLang reads a language as a user writes it.
func ParseLang(name string) (Lang, error) {
	switch strings.ToLower(name) {
	case "go", "golang":
		return Go, nil
	case "ts", "typescript":
		return TypeScript, nil
	case "python", "py":
		return Python, nil
	}
	return "", fmt.Errorf("language %q: want go, ts or python", text.First(name, 40))
}

// ParseModule reads the path of a module of playwright-go as a user writes it.
func ParseModule(path string) (string, error) {
	if path != playwrightgo.Module && path != playwrightgo.Community {
		return "", fmt.Errorf("module %q: want %s or %s", text.First(path, 80), playwrightgo.Module, playwrightgo.Community)
	}
	return path, nil
}

// File is one file of code.
type File struct {
	Path string `json:"path"` // below the folder of the tests, with slashes
	Text string `json:"text"`
}

//go:embed templates
var templates embed.FS

// layout is the files of a language.
type layout struct {
	lang locator.Language
	set  func() (*template.Template, error)
	site []part // once
	page []part // for each page
}

// part is a file: its template and its path. %s is the name of the page.
type part struct {
	template, path string
	name           func(ident) string
}

var layouts = map[Lang]layout{
	Go: {locator.Go, parseTemplates(locator.Go), []part{{"main_test.go", "main_test.go", nil}},
		[]part{{"page.go", "%s_page.go", ident.snake}, {"page_test.go", "%s_page_test.go", ident.snake}}},
	TypeScript: {locator.TypeScript, parseTemplates(locator.TypeScript), []part{{"fixtures.ts", "fixtures.ts", nil}},
		[]part{{"page.ts", "pages/%s-page.ts", ident.kebab}, {"spec.ts", "tests/%s.spec.ts", ident.kebab}}},
	Python: {locator.Python, parseTemplates(locator.Python), []part{{"conftest.py", "conftest.py", nil}, {"init.py", "pages/__init__.py", nil}},
		[]part{{"page.py", "pages/%s_page.py", ident.snake}, {"test.py", "tests/test_%s.py", ident.snake}}},
}

// Files returns the page objects and tests of a site in a language, ready to be
// compiled and in a stable order: the same site gives the same bytes. Go's import the
// maintained module of playwright-go.
func Files(site Site, lang Lang) ([]File, error) {
	return FilesForModule(site, lang, playwrightgo.Module)
}

// FilesForModule is Files with the module of playwright-go that Go's files import; see
// ParseModule.
func FilesForModule(site Site, lang Lang, module string) ([]File, error) {
	l, ok := layouts[lang]
	if !ok {
		return nil, fmt.Errorf("language %q: want go, ts or python", lang)
	}
	set, err := l.set()
	if err != nil {
		return nil, fmt.Errorf("read templates: %w", err)
	}
	if set, err = set.Clone(); err != nil {
		return nil, fmt.Errorf("copy templates: %w", err)
	}
	set.Funcs(template.FuncMap{"module": func() string { return module }})
	var files []File
	for _, p := range l.site {
		files = append(files, File{Path: p.path})
		if files[len(files)-1].Text, err = renderFile(set, p.template, site); err != nil {
			return nil, err
		}
	}
	for _, page := range planSite(site) {
		for _, p := range l.page {
			text, err := renderFile(set, p.template, page)
			if err != nil {
				return nil, err
			}
			files = append(files, File{fmt.Sprintf(p.path, p.name(page.Name)), text})
		}
	}
	return files, nil
}

// renderFile fills in a template. Go's code is laid out as gofmt does, which also
// shows that it is Go.
func renderFile(set *template.Template, name string, data any) (string, error) {
	var b bytes.Buffer
	if err := set.ExecuteTemplate(&b, name+".tmpl", data); err != nil {
		return "", fmt.Errorf("write %s: %w", name, err)
	}
	if !strings.HasSuffix(name, ".go") {
		return strings.TrimSpace(b.String()) + "\n", nil
	}
	text, err := format.Source(b.Bytes())
	if err != nil {
		return "", fmt.Errorf("lay out %s: %w", name, err)
	}
	return string(text), nil
}

// parseTemplates returns the templates of a language, read when they are first asked
// for.
func parseTemplates(lang locator.Language) func() (*template.Template, error) {
	return sync.OnceValues(func() (*template.Template, error) {
		return template.New("").Funcs(functions(lang)).ParseFS(templates, "templates/*.tmpl")
	})
}

// functions are what templates write values with. Every text of a page goes
// through one of them.
func functions(lang locator.Language) template.FuncMap {
	return template.FuncMap{
		"quote":   func(s string) string { return locator.Quote(s, lang) },
		"locator": func(s locator.Selector) string { return locator.Print(s, lang) },
		"comment": comment,
		"module":  func() string { return playwrightgo.Module },
		"camel":   ident.camel, "pascal": ident.pascal, "snake": ident.snake, "kebab": ident.kebab, "words": ident.words,
	}
}

// comment returns a text that may stand in a comment or docstring of any of the
// languages: nothing ends it, escapes in it or hides.
func comment(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\\' || r == '"' || r == '`':
			return -1
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r) || r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, text.First(s, 300))
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "*/", "* /")), " ")
}
