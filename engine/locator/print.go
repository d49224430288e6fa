package locator

import (
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// Print returns the code that makes the locator in a language, as Playwright's
// users write it: `page.getByTestId('x')`. An unknown language prints as
// TypeScript; the zero Selector as "".
func Print(s Selector, lang Language) string { return printSelector(s, lang, 0) }

// maxPrinted bounds how deep locators inside locators are printed.
const maxPrinted = 8

func printSelector(s Selector, lang Language, depth int) string {
	if s.IsZero() {
		return ""
	}
	d := dialectOf(lang)
	if s.isUnread() {
		return s.Parts[0].Raw
	}
	if !d.canPrint(s) || depth > maxPrinted {
		return "page." + d.writeCall("locator", d.quote(s.engineText()))
	}
	var b strings.Builder
	b.WriteString("page")
	class := "Page"
	for i := 0; i < len(s.Parts); i++ {
		b.WriteByte('.')
		switch p := s.Parts[i]; {
		case p.Kind == KindCSS && i+1 < len(s.Parts) && s.Parts[i+1].Kind == KindFrame: // both are one call
			b.WriteString(d.writeCall("frameLocator", d.quote(p.Raw)))
			class = "FrameLocator"
			i++
			continue
		case p.Kind == KindFrame:
			b.WriteString(d.frame)
			class = "FrameLocator"
			continue
		case p.Kind == KindHas || p.Kind == KindHasNot || p.Kind == KindAnd || p.Kind == KindOr:
			inner, _ := Parse(p.Value)
			b.WriteString(d.writeNarrowing(p.Kind, printSelector(inner, lang, depth+1)))
		default:
			b.WriteString(d.writePart(p, class))
		}
		class = "Locator"
	}
	return b.String()
}

// canPrint reports whether every part has a call at its place in the chain. If not, the
// whole selector is printed as one locator(…).
func (d *dialect) canPrint(s Selector) bool {
	switch s.Parts[0].Kind {
	case KindNth, KindHasText, KindHasNotText, KindFrame, KindHas, KindHasNot, KindAnd, KindOr, KindVisible:
		return false
	}
	for _, p := range s.Parts {
		if p.Rest != "" && len(p.readConditions()) == 0 {
			return false
		}
		if p.Regexp && !d.canWriteRegexp(p.Value) || p.Match == MatchWhole {
			return false
		}
	}
	return true
}

// canWriteRegexp reports whether the language has a flag for each flag of a regular
// expression. That every match is wanted (g) or where it is (d) does not change
// whether there is one.
func (d *dialect) canWriteRegexp(body string) bool {
	source, flags := splitRegexp(body)
	return source != "" && strings.Trim(flags, d.regexpFlags+"gd") == ""
}

// dialect is how a language writes locator calls.
type dialect struct {
	quote func(string) string
	name  func(string) string // method name from its TypeScript spelling
	role  func(string) string
	// options writes the options of a call; class is the receiver's type.
	options          func(class, method string, opts []option) string
	regexp           func(source, flags string) string
	regexpFlags      string // those that regexp can write, as in JavaScript
	first            string // the first() step, without the dot
	last             string
	frame            string // the step into a frame
	combinatorSuffix string // what the names of and, or end with
}

// option is one named argument; text is already code.
type option struct {
	name, text string
	kind       optionKind
}

// optionKind is the type of an option's value.
type optionKind int

const (
	isString optionKind = iota
	isBool
	isInteger
	isPattern
)

func (d *dialect) writeCall(method string, args ...string) string {
	var given []string
	for _, a := range args {
		if a != "" {
			given = append(given, a)
		}
	}
	return d.name(method) + "(" + strings.Join(given, ", ") + ")"
}

func (d *dialect) writePart(p Part, class string) string {
	switch p.Kind {
	case KindRole:
		var opts []option
		if p.Named {
			opts = append(opts, d.writeValue("name", p))
		}
		return d.writeCall("getByRole", d.role(p.Role), d.options(class, "getByRole", append(p.withExact(opts), p.readConditions()...)))
	case KindHasText, KindHasNotText:
		if p.Match == MatchExact { // no option says so
			break
		}
		name := map[Kind]string{KindHasText: "hasText", KindHasNotText: "hasNotText"}[p.Kind]
		return d.writeFilter(d.writeValue(name, p))
	case KindVisible:
		return d.writeFilter(option{"visible", p.Value, isBool})
	case KindNth:
		return d.writeNth(p.Value)
	}
	if method, ok := getters[p.Kind]; ok && !p.isLiteralText() {
		return d.writeCall(method, d.writeValue("", p).text, d.options(class, method, p.withExact(nil)))
	}
	return d.writeCall("locator", d.quote(p.Raw))
}

// writeFilter returns a filter call with one option.
func (d *dialect) writeFilter(o option) string {
	return d.writeCall("filter", d.options("Locator", "filter", []option{o}))
}

// writeNarrowing returns the call that narrows a locator by another one.
func (d *dialect) writeNarrowing(kind Kind, inner string) string {
	switch kind {
	case KindAnd, KindOr:
		return d.writeCall(string(kind)+d.combinatorSuffix, inner)
	case KindHas:
		return d.writeFilter(option{"has", inner, isString})
	}
	return d.writeFilter(option{"hasNot", inner, isString})
}

// writeValue returns the text or regular expression of p as code.
func (d *dialect) writeValue(name string, p Part) option {
	if p.Regexp {
		return option{name, d.writeRegexp(p.Value), isPattern}
	}
	return option{name, d.quote(p.Value), isString}
}

// writeRegexp returns a regular expression as code.
func (d *dialect) writeRegexp(body string) string {
	return d.regexp(splitRegexp(body))
}

// condition matches one condition of a role: [checked=true], [level=2].
var condition = lazyregexp.New(`^\[(checked|disabled|selected|expanded|include-hidden|pressed|level)=(true|false|\d)\]`)

// readConditions returns the conditions of a role as options, none when one of them
// cannot be read.
func (p Part) readConditions() []option {
	var out []option
	for rest := p.Rest; rest != ""; {
		m := condition.FindStringSubmatch(rest)
		if m == nil {
			return nil
		}
		o := option{m[1], m[2], isBool}
		switch m[1] {
		case "level":
			o.kind = isInteger
		case "include-hidden":
			o.name = "includeHidden"
		}
		out = append(out, o)
		rest = rest[len(m[0]):]
	}
	return out
}

// isLiteralText reports whether p is text="x" of a locator(…) call. It is
// case-sensitive in a way that no getByText call is.
func (p Part) isLiteralText() bool {
	return p.Kind == KindText && !strings.HasPrefix(p.Raw, "internal:")
}

func (p Part) withExact(opts []option) []option {
	if p.Match == MatchExact && p.Kind != KindTestID && !p.Regexp {
		opts = append(opts, option{"exact", "true", isBool})
	}
	return opts
}

func (d *dialect) writeNth(n string) string {
	switch n {
	case "0":
		return d.first
	case "-1":
		return d.last
	}
	return d.writeCall("nth", n)
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
