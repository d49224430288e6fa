package locator

import (
	"fmt"
	"strings"
)

// Print returns the code that makes the locator in a language, as Playwright's
// users write it: `page.getByTestId('x')`. An unknown language prints as
// TypeScript; the zero Selector as "".
func Print(s Selector, lang Language) string {
	if s.IsZero() {
		return ""
	}
	d := dialects[lang]
	if d == nil {
		d = dialects[TypeScript]
	}
	if !printable(s) {
		return "page." + d.call("locator", d.quote(s.engine()))
	}
	var b strings.Builder
	b.WriteString("page")
	class := "Page"
	for i := 0; i < len(s.Parts); i++ {
		b.WriteByte('.')
		if framed(s, i) {
			b.WriteString(d.call("frameLocator", d.quote(s.Parts[i].Raw)))
			class = "FrameLocator"
			i++
			continue
		}
		b.WriteString(d.part(s.Parts[i], class))
		class = "Locator"
	}
	return b.String()
}

// framed reports whether part i selects the frame that part i+1 steps into.
func framed(s Selector, i int) bool {
	return i+1 < len(s.Parts) && s.Parts[i+1].Kind == KindFrame && s.Parts[i].Kind == KindCSS
}

// printable reports whether every part has a call of its own. What has none is
// printed as one locator(…) with the whole selector.
func printable(s Selector) bool {
	for i, p := range s.Parts {
		switch {
		case p.Kind == KindOther, p.Regexp, p.Rest != "":
			return false
		case p.Kind == KindFrame && (i == 0 || !framed(s, i-1)):
			return false
		case i == 0 && (p.Kind == KindNth || p.Kind == KindHasText || p.Kind == KindHasNotText):
			return false
		}
	}
	return true
}

// dialect is how one language spells locator calls.
type dialect struct {
	quote func(string) string
	name  func(string) string // method name from its TypeScript spelling
	role  func(string) string
	// options spells the options of a call: class is the receiver's type.
	options func(class, method string, opts []option) string
	first   string // the first() step, without the dot
	last    string
}

// option is one named argument; text is already code.
type option struct{ name, text string }

var getters = map[Kind]string{
	KindTestID: "getByTestId", KindLabel: "getByLabel", KindPlaceholder: "getByPlaceholder",
	KindAlt: "getByAltText", KindTitle: "getByTitle", KindText: "getByText",
}

func (d *dialect) call(method string, args ...string) string {
	var given []string
	for _, a := range args {
		if a != "" {
			given = append(given, a)
		}
	}
	return d.name(method) + "(" + strings.Join(given, ", ") + ")"
}

func (d *dialect) part(p Part, class string) string {
	switch p.Kind {
	case KindRole:
		var opts []option
		if p.Named {
			opts = append(opts, option{"name", d.quote(p.Value)})
		}
		return d.call("getByRole", d.role(p.Role), d.options(class, "getByRole", p.exactly(opts)))
	case KindHasText:
		return d.call("filter", d.options(class, "filter", []option{{"hasText", d.quote(p.Value)}}))
	case KindHasNotText:
		return d.call("filter", d.options(class, "filter", []option{{"hasNotText", d.quote(p.Value)}}))
	case KindNth:
		return d.nth(p.Value)
	}
	if method, ok := getters[p.Kind]; ok && !p.literalText() {
		return d.call(method, d.quote(p.Value), d.options(class, method, p.exactly(nil)))
	}
	return d.call("locator", d.quote(p.Raw))
}

// literalText reports whether p is text="x" written for locator(…), which is
// case-sensitive in a way that no getByText call is.
func (p Part) literalText() bool { return p.Kind == KindText && !strings.HasPrefix(p.Raw, "internal:") }

func (p Part) exactly(opts []option) []option {
	if p.Match == MatchExact && p.Kind != KindTestID {
		opts = append(opts, option{"exact", "true"})
	}
	return opts
}

func (d *dialect) nth(n string) string {
	switch n {
	case "0":
		return d.first
	case "-1":
		return d.last
	}
	return d.call("nth", n)
}

func titleCase(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

func snakeCase(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

var dialects = map[Language]*dialect{
	TypeScript: typeScriptDialect, JavaScript: typeScriptDialect,
	Python: {
		quote: quoter(quotePython), name: snakeCase, role: quoter(quotePython), first: "first", last: "last",
		options: func(_, _ string, opts []option) string {
			return listed(opts, "", "%s=%s", "", func(o option) option {
				return option{snakeCase(o.name), strings.Replace(o.text, "true", "True", boolCount(o))}
			})
		},
	},
	Java: {
		quote: quoter(quoteJava), name: asWritten, first: "first()", last: "last()",
		role: func(role string) string { return "AriaRole." + strings.ToUpper(role) },
		options: func(class, method string, opts []option) string {
			if len(opts) == 0 {
				return ""
			}
			out := "new " + class + "." + titleCase(method) + "Options()"
			for _, o := range opts {
				out += ".set" + titleCase(o.name) + "(" + o.text + ")"
			}
			return out
		},
	},
	CSharp: {
		quote: quoter(quoteCSharp), name: titleCase, first: "First", last: "Last",
		role: func(role string) string { return "AriaRole." + titleCase(role) },
		options: func(_, _ string, opts []option) string {
			return listed(opts, "new() { ", "%s = %s", " }", titled)
		},
	},
	Go: {
		quote: quoter(quoteGo), name: titleCase, role: quoter(quoteGo), first: "First()", last: "Last()",
		options: func(class, method string, opts []option) string {
			return listed(opts, "playwright."+class+titleCase(method)+"Options{", "%s: %s", "}", func(o option) option {
				if boolCount(o) == 1 {
					o.text = "playwright.Bool(" + o.text + ")"
				}
				return titled(o)
			})
		},
	},
}

var typeScriptDialect = &dialect{
	quote: quoter(quoteTypeScript), name: asWritten, role: quoter(quoteTypeScript), first: "first()", last: "last()",
	options: func(_, _ string, opts []option) string {
		return listed(opts, "{ ", "%s: %s", " }", func(o option) option { return o })
	},
}

func asWritten(name string) string { return name }

func titled(o option) option { return option{titleCase(o.name), o.text} }

// boolCount is 1 for an option that is a boolean, 0 for one that is text.
func boolCount(o option) int {
	if o.name == "exact" {
		return 1
	}
	return 0
}

// listed spells options as one bracketed list, "" for none.
func listed(opts []option, open, format, end string, spell func(option) option) string {
	if len(opts) == 0 {
		return ""
	}
	out := make([]string, len(opts))
	for i, o := range opts {
		o = spell(o)
		out[i] = fmt.Sprintf(format, o.name, o.text)
	}
	return open + strings.Join(out, ", ") + end
}
