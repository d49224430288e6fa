package pwconfig

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// What is written into a configuration. The reporter's file is what the
// generated workflow reads, the trace what docs/traces.md advises.
const (
	junitReporter = `["junit", { outputFile: "results/playwright.xml", includeRetries: true }]`
	timeoutLine   = `actionTimeout: 10_000`
	traceLine     = `trace: { mode: process.env.GITHUB_HEAD_REF ? "retain-on-failure" : "on", screenshots: false, sources: false }`
)

var (
	objectStart = regexp.MustCompile(`\bdefineConfig\s*(?:<[^>(){}]*>)?\(\s*\{|\bexport\s+default\s*\{|\bmodule\.exports\s*=\s*\{`)
	oneString   = regexp.MustCompile("^[\"'][\\w./@-]+[\"']$")
	lineIndent  = regexp.MustCompile(`\n([ \t]+)\S`)
)

// Improve returns a configuration with what Advise misses switched on, as few
// words as possible changed, and false where its text does not tell for certain
// that a change means what it should.
func Improve(text []byte) ([]byte, bool) {
	before := marksOf(text)
	for _, change := range []func(*editor){(*editor).reporter, (*editor).use} {
		e, ok := newEditor(text)
		if !ok {
			return nil, false
		}
		change(e)
		text = e.text
	}
	return text, marksOf(text) < before
}

// marksOf counts what Advise would have looked at.
func marksOf(text []byte) int {
	bad := 0
	for _, f := range Advise(Read("", text), "") {
		if f.Bad {
			bad++
		}
	}
	return bad
}

// editor changes the object of a configuration.
type editor struct {
	text       []byte
	mask       string // the text with comments and the insides of strings blanked
	open       int    // place after the object's brace
	properties []property
	quote      string
	indent     string
}

// property is one key of an object and the place of its value.
type property struct {
	key        string
	start, end int
}

// newEditor finds the one object of a configuration.
func newEditor(text []byte) (*editor, bool) {
	e := &editor{text: text, mask: mask(string(text)), quote: `"`, indent: "  "}
	found := objectStart.FindAllStringIndex(e.mask, -1)
	if len(found) != 1 || bytes.Contains(text, []byte("\r")) {
		return nil, false
	}
	e.open = found[0][1]
	var ok bool
	if e.properties, ok = properties(e.mask, e.open); !ok {
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

// property returns a key of the object.
func (e *editor) property(key string) (property, bool) {
	at := slices.IndexFunc(e.properties, func(p property) bool { return p.key == key })
	if at < 0 {
		return property{}, false
	}
	return e.properties[at], true
}

// write puts words in the place of what stands from start to end.
func (e *editor) write(start, end int, words string) {
	words = strings.ReplaceAll(words, `"`, e.quote)
	e.text = slices.Concat(e.text[:start:start], []byte(words), e.text[end:])
}

// reporter adds the JUnit reporter where no report is written that is read.
func (e *editor) reporter() {
	if Read("", e.text).reads("junit", "json", "blob") {
		return
	}
	p, there := e.property("reporter")
	value := strings.TrimSpace(string(e.text[p.start:p.end]))
	switch {
	case !there:
		e.write(e.open, e.open, "\n"+e.indent+`reporter: [["list"], `+junitReporter+"],")
	case oneString.MatchString(value):
		e.write(p.start, p.end, ` [[`+value+`], `+junitReporter+`]`)
	case strings.HasPrefix(value, "[") && strings.HasSuffix(value, "]"):
		inside := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value[1:len(value)-1]), ","))
		if strings.HasPrefix(inside, "[") && strings.HasSuffix(inside, "]") && !strings.Contains(inside, "//") {
			last := p.start + strings.LastIndexByte(e.mask[p.start:p.end], ']')
			comma := ", "
			if strings.HasSuffix(strings.TrimSpace(value[1:len(value)-1]), ",") {
				comma = " "
			}
			at := p.start + len(strings.TrimRight(e.mask[p.start:last], " \t\n"))
			e.write(at, at, comma+junitReporter)
		}
	}
}

// use bounds actions and switches traces on.
func (e *editor) use() {
	p, there := e.property("use")
	if !there {
		e.write(e.open, e.open, "\n"+e.indent+"use: { "+timeoutLine+", "+traceLine+" },")
		return
	}
	value := e.mask[p.start:p.end]
	start := p.start + strings.IndexByte(value, '{') + 1
	inner, ok := properties(e.mask, start)
	if !strings.HasPrefix(strings.TrimSpace(value), "{") || !ok || strings.Contains(value, "...") {
		return
	}
	keys := map[string]property{}
	for _, one := range inner {
		keys[one.key] = one
	}
	trace, there := keys["trace"]
	switch mode := strings.TrimSpace(string(e.text[trace.start:trace.end])); {
	case !there:
		e.insert(start, traceLine)
	case oneString.MatchString(mode) && mode[1:len(mode)-1] != "on":
		e.write(trace.start, trace.end, strings.TrimPrefix(traceLine, "trace:"))
	}
	if _, there := keys["actionTimeout"]; !there {
		e.insert(start, timeoutLine)
	}
}

// insert adds a property at the beginning of an object, on a line of its own
// where the object's next one has one.
func (e *editor) insert(start int, words string) {
	rest := e.mask[start:]
	if m := lineIndent.FindStringSubmatchIndex(rest); m != nil && strings.TrimSpace(rest[:m[0]]) == "" {
		e.write(start, start, "\n"+rest[m[2]:m[3]]+words+",")
		return
	}
	e.write(start, start, " "+words+",")
}

var propertyKey = regexp.MustCompile(`^\s*(\w+)\s*:`)

// properties returns the keys of the object that begins at start, false where
// its end cannot be found.
func properties(mask string, start int) ([]property, bool) {
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

// mask returns a script of the same length whose comments and insides of strings
// are blank.
func mask(text string) string {
	out := []byte(text)
	blank := func(from, to int) {
		for i := from; i < min(to, len(out)); i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\'' || c == '`':
			end := i + 1
			for end < len(text) && text[end] != c {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			blank(i+1, end)
			i = end
		case strings.HasPrefix(text[i:], "//"):
			end := strings.IndexByte(text[i:]+"\n", '\n')
			blank(i, i+end)
			i += end
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				blank(i, len(text))
				return string(out)
			}
			blank(i, i+end+4)
			i += end + 3
		}
	}
	return string(out)
}
