package locator

import "strings"

// CallStyle is how a source file writes a getBy… call at one place, and what can be
// named there.
type CallStyle struct {
	Language Language
	Quote    byte   // of strings, where the language has several
	Receiver string // the type that the call is made on, such as "Page"; "" where it is not known
	Package  string // Go: the name that Playwright is imported under, "" for none
	Roles    bool   // Java, C#: AriaRole can be named
	Options  bool   // Java: the class of the receiver can be named
	Explicit bool   // C#: options are made by the name of their class
}

// WriteCall returns the getBy… call of a part, or locator('#pay') for one attribute that
// stays, without what it is made on. It returns false when the part is no such plain call,
// or when the call needs something that cannot be named there.
func WriteCall(p Part, style CallStyle) (string, bool) {
	if !p.isModern() && !p.isAttribute() || p.Value == "" || Writable(p.Value) != "" || p.Kind != KindCSS &&
		(p.Match == MatchWhole || p.Match == MatchUnset && p.Kind != KindTestID || p.Rest != "" && len(p.readConditions()) == 0) {
		return "", false
	}
	d := *dialectOf(style.Language)
	options := p.Named || p.Rest != "" || len(p.withExact(nil)) > 0
	switch style.Language {
	case TypeScript, JavaScript:
		d.quote = quoting{quoteFor(p, style.Quote, '\''), escapeUTF16}.writeLiteral
		d.role = d.quote
	case Python:
		d.quote = quoting{quoteFor(p, style.Quote, '"'), escapeUTF32}.writeLiteral
		d.role = d.quote
	case Java:
		if p.Kind == KindRole && !style.Roles || options && (style.Receiver == "" || !style.Options) {
			return "", false
		}
	case CSharp:
		if p.Kind == KindRole && !style.Roles || style.Explicit && options && style.Receiver == "" {
			return "", false
		}
		if style.Explicit {
			d.options = func(class, method string, opts []option) string {
				return optionList(opts, "new "+class+titleCase(method)+"Options { ", "%s = %s", " }", titleCased)
			}
		}
	case Go:
		if options && (style.Receiver == "" || style.Package == "") {
			return "", false
		}
		d.options = goOptions(style.Package)
	}
	code := d.writePart(p, style.Receiver)
	again, ok := ReadCall(code, style.Language)
	return code, ok && again.matches(p) && (again.Match == p.Match || p.Kind == KindTestID)
}

// isAttribute reports whether p is plain CSS of one attribute's whole value, one that is
// not made anew for each page.
func (p Part) isAttribute() bool {
	_, value, ok := AttributeOf(p)
	return p.Kind == KindCSS && ok && p.Rest == "" && !Generated(value)
}

// quoteFor returns the quote of a file, or the usual one for a template literal that
// would have to escape.
func quoteFor(p Part, quote, usual byte) byte {
	if quote == '\'' || quote == '"' || quote == '`' && usual == '\'' && !strings.ContainsAny(p.Value, "`\\$") {
		return quote
	}
	return usual
}

// ReadCall reads one locator call of a language that is written without what it is made
// on: locator('#a'), getByText('x'). It returns false for anything else, and for a call
// that makes several parts.
func ReadCall(text string, lang Language) (Part, bool) {
	r := &expressionReader{text: text, lang: lang}
	if CallKind(r.readName()) == "" {
		return Part{}, false
	}
	r.at = 0
	parts := r.readChain()
	if r.failed || r.at < len(text) || len(parts) != 1 {
		return Part{}, false
	}
	return parts[0], true
}
