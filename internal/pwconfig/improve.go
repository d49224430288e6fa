package pwconfig

import (
	"bytes"
	"slices"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// The settings that Improve writes. The generated workflow reads the reporter's
// file, and docs/traces.md advises the trace.
const (
	junitReporter = `["junit", { outputFile: "results/playwright.xml", includeRetries: true }]`
	traceChoice   = `process.env.GITHUB_HEAD_REF ? "retain-on-failure" : "on"`
	traceLine     = `trace: { mode: ` + traceChoice + `, screenshots: false, sources: false }`
)

var (
	objectStart = lazyregexp.New(`\bdefineConfig\s*(?:<[^>(){}]*>)?\(\s*(?:\w+\s*,\s*)?\{|\bexport\s+default\s*\{|\bmodule\.exports\s*=\s*\{`)
	oneString   = lazyregexp.New("^[\"'][\\w./@-]+[\"']$")
	lineIndent  = lazyregexp.New(`\n([ \t]+)\S`)
)

// Improve returns the text of a configuration with what Advise asks for, given all that
// holds for it now, its bases' settings too. It changes as little as possible, and returns
// false when it is not certain what the text would mean after a change.
func Improve(text []byte, now Config) ([]byte, bool) {
	for _, change := range []func(*editor, Config){(*editor).addReporter, (*editor).changeUse} {
		e, ok := newEditor(text)
		if !ok {
			return nil, false
		}
		change(e, now)
		text = e.text
	}
	after := Read(text)
	after.Inherit(now)
	return text, len(adviseChanges(after)) < len(adviseChanges(now))
}

// editor changes the object of a configuration.
type editor struct {
	text       []byte
	mask       string // see maskLiterals
	open       int    // where the content of the object starts
	inherits   bool   // what it does not set another configuration may
	merges     bool   // of use, too, property by property
	properties []property
	quote      string
	indent     string
}

// property is one key of an object.
type property struct {
	key        string
	start, end int // of its value
}

// newEditor returns an editor of the one object in a configuration.
func newEditor(text []byte) (*editor, bool) {
	e := &editor{text: text, mask: maskLiterals(string(text)), quote: `"`, indent: "  "}
	found := objectStart.FindAllStringIndex(e.mask, -1)
	if len(found) != 1 || bytes.Contains(text, []byte("\r")) {
		return nil, false
	}
	e.open = found[0][1]
	e.merges = strings.Contains(e.mask[found[0][0]:e.open], ",") // defineConfig(base, {
	e.inherits = e.merges || e.isSpread()
	var ok bool
	if e.properties, ok = parseProperties(e.mask, e.open); !ok {
		return nil, false
	}
	if m := lineIndent.FindStringSubmatch(e.mask[e.open:]); m != nil {
		e.indent = m[1]
	}
	if strings.Count(string(text), "'") > strings.Count(string(text), `"`) {
		e.quote = "'"
	}
	return e, true
}

// isSpread reports whether the object takes properties of another one.
func (e *editor) isSpread() bool {
	depth := 0
	for i := e.open; i < len(e.mask) && depth >= 0; i++ {
		switch c := e.mask[i]; {
		case strings.IndexByte("{[(", c) >= 0:
			depth++
		case strings.IndexByte("}])", c) >= 0:
			depth--
		case depth == 0 && strings.HasPrefix(e.mask[i:], "..."):
			return true
		}
	}
	return false
}

// maskLiterals returns a script of the same length in which comments and the insides of
// strings are blank.
func maskLiterals(text string) string {
	out := []byte(text)
	for at := range commentsAndStrings(text) {
		if !at.comment {
			at.start, at.end = at.start+1, at.end-1
		}
		for i := at.start; i < min(at.end, len(out)); i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	return string(out)
}

// findProperty returns the property with a key.
func findProperty(all []property, key string) (property, bool) {
	for _, p := range all {
		if p.key == key {
			return p, true
		}
	}
	return property{}, false
}

// replaceText replaces the text from start to end by words.
func (e *editor) replaceText(start, end int, words string) {
	words = strings.ReplaceAll(words, `"`, e.quote)
	e.text = slices.Concat(e.text[:start:start], []byte(words), e.text[end:])
}

// addReporter adds the JUnit reporter when there is no report that Breadcrumb reads.
func (e *editor) addReporter(now Config) {
	if now.hasReporter("junit", "json", "blob") {
		return
	}
	p, there := findProperty(e.properties, "reporter")
	value := strings.TrimSpace(string(e.text[p.start:p.end]))
	switch {
	case !there && e.inherits:
	case !there:
		e.replaceText(e.open, e.open, "\n"+e.indent+`reporter: [["list"], `+junitReporter+"],")
	case oneString.MatchString(value):
		e.replaceText(p.start, p.end, ` [[`+value+`], `+junitReporter+`]`)
	case strings.HasPrefix(value, "[") && strings.HasSuffix(value, "]"):
		inside := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value[1:len(value)-1]), ","))
		if strings.HasPrefix(inside, "[") && strings.HasSuffix(inside, "]") && !strings.Contains(inside, "//") {
			last := p.start + strings.LastIndexByte(e.mask[p.start:p.end], ']')
			comma := ", "
			if strings.HasSuffix(strings.TrimSpace(value[1:len(value)-1]), ",") {
				comma = " "
			}
			at := p.start + len(strings.TrimRight(e.mask[p.start:last], " \t\n"))
			e.replaceText(at, at, comma+junitReporter)
		}
	}
}

// changeUse sets a timeout for actions and switches traces on.
func (e *editor) changeUse(now Config) {
	p, there := findProperty(e.properties, "use")
	if !there && e.inherits {
		return
	}
	if !there {
		e.replaceText(e.open, e.open, "\n"+e.indent+"use: { "+now.timeoutLine()+", "+traceLine+" },")
		return
	}
	value := e.mask[p.start:p.end]
	start := p.start + strings.IndexByte(value, '{') + 1
	inner, ok := parseProperties(e.mask, start)
	if !strings.HasPrefix(strings.TrimSpace(value), "{") || !ok || strings.Contains(value, "...") {
		return
	}
	trace, there := findProperty(inner, "trace")
	// Traces that somebody keeps already keep their screenshots and sources. A mode that
	// Playwright does not know is its writer's to mend.
	setMode := func(at property) {
		if mode := strings.TrimSpace(string(e.text[at.start:at.end])); oneString.MatchString(mode) && traceMode.MatchString(mode) && mode[1:len(mode)-1] != "on" {
			e.replaceText(at.start, at.end, " "+traceChoice)
		}
	}
	switch mode := strings.TrimSpace(string(e.text[trace.start:trace.end])); {
	case !there && now.adviseTrace().Bad:
		e.insertProperty(start, traceLine)
	case !there: // a base's is good
	case oneString.MatchString(mode) && mode[1:len(mode)-1] == "off":
		e.replaceText(trace.start, trace.end, strings.TrimPrefix(traceLine, "trace:"))
	case strings.HasPrefix(mode, "{"):
		options, _ := parseProperties(e.mask, trace.start+strings.IndexByte(e.mask[trace.start:trace.end], '{')+1)
		if p, there := findProperty(options, "mode"); there {
			setMode(p)
		}
	default:
		setMode(trace)
	}
	if _, there := findProperty(inner, "actionTimeout"); !there && now.adviseTimeout().Bad {
		e.insertProperty(start, now.timeoutLine())
	}
}

// insertProperty adds a property at the start of an object, on a line of its own when the
// next one is.
func (e *editor) insertProperty(start int, words string) {
	rest := e.mask[start:]
	if m := lineIndent.FindStringSubmatchIndex(rest); m != nil && strings.TrimSpace(rest[:m[0]]) == "" {
		e.replaceText(start, start, "\n"+rest[m[2]:m[3]]+words+",")
		return
	}
	e.replaceText(start, start, " "+words+",")
}

var propertyKey = lazyregexp.New(`^\s*(\w+)\s*:`)

// parseProperties returns the properties of the object whose content starts at start,
// and false when its end is not found.
func parseProperties(mask string, start int) ([]property, bool) {
	var all []property
	depth, begin := 0, start
	close := func(end int) {
		words := strings.TrimRight(mask[begin:end], " \t\n")
		if m := propertyKey.FindStringSubmatchIndex(words); m != nil {
			all = append(all, property{mask[begin+m[2] : begin+m[3]], begin + m[1], begin + len(words)})
		}
		begin = end + 1
	}
	for i := start; i < len(mask); i++ {
		switch c := mask[i]; {
		case strings.IndexByte("{[(", c) >= 0:
			depth++
		case c == '}' && depth == 0:
			close(i)
			return all, true
		case strings.IndexByte("}])", c) >= 0:
			depth--
		case c == ',' && depth == 0:
			close(i)
		}
	}
	return nil, false
}
