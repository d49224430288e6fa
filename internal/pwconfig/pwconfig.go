// Package pwconfig reads the text of a Playwright configuration without running it,
// and says what to switch on for Breadcrumb and why.
package pwconfig

import (
	"iter"
	"slices"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// Config holds the settings in the text of one playwright.config file. A setting
// that the text does not have is "".
type Config struct {
	Reporters     []string // of those that Breadcrumb reads: junit, json, blob
	Tries         string   // retries
	Retries       string   // includeRetries
	ActionTimeout string
	TestTimeout   string   // timeout of a test, as written
	Trace         string   // as written
	TraceModes    []string // named in Trace
	Screenshots   string   // of traces
	Sources       string
	Outputs       map[string]string // the file that a reporter writes, if the text names it
	Named         bool              // a reporter's file is named, perhaps by an expression

	Configured bool     // the configuration has reporters
	Plain      []string // the reporters, when all are named and have no options
	Chosen     bool     // the reporters depend on more than the text tells
	OutputDir  string   // where traces are written, "" for Playwright's own folder
	Computed   bool     // OutputDir is set and the text does not tell to what
	Replaces   bool     // use, with traces and timeouts, takes the place of a base's
	LocalURL   string   // baseURL, when this machine must serve it and the text starts no server
}

var (
	reporterName  = lazyregexp.New("[\"'`](junit|json|blob)[\"'`]")
	retries       = lazyregexp.New(`\bretries["']?\s*:\s*([^,\n}]+)`)
	includeRetry  = lazyregexp.New(`\bincludeRetries["']?\s*:\s*([\w.!]+)`)
	actionTimeout = lazyregexp.New(`\bactionTimeout["']?\s*:\s*([^,\n}]+)`)
	traceSetting  = lazyregexp.New(`\btrace["']?\s*:\s*(\{[^}]*\}|[^,\n}]+)`)
	traceMode     = lazyregexp.New("[\"'`](on|off|on-first-retry|on-all-retries|retain-on-failure|retain-on-first-failure|retain-on-failure-and-retries|on-failure)[\"'`]")
	outputFile    = lazyregexp.New("[\"'`](junit|json)[\"'`]\\s*,\\s*\\{[^}]*?\\boutputFile[\"']?\\s*:\\s*[\"'`]([^\"'`]+)[\"'`]")
	outputNamed   = lazyregexp.New(`\boutputFile["']?\s*:`)
	blobDir       = lazyregexp.New("[\"'`]blob[\"'`]\\s*,\\s*\\{[^}]*?\\boutputDir[\"']?\\s*:\\s*[\"'`]([^\"'`]+)[\"'`]")
	localURL      = lazyregexp.New("\\bbaseURL[\"']?\\s*:\\s*(?:[\\w.]+\\s*(?:\\|\\||\\?\\?)\\s*)?[\"'`](https?://(?:localhost|127\\.0\\.0\\.1|0\\.0\\.0\\.0|\\[::1\\])(?:[:/][^\"'`]*)?)[\"'`]")
	startsServer  = lazyregexp.New(`\b(?:webServer|globalSetup)\b`)
	plainNames    = lazyregexp.New("^\\[(?:\\s*(?:\\[\\s*[\"'`][@\\w./-]+[\"'`]\\s*,?\\s*\\]|[\"'`][@\\w./-]+[\"'`])\\s*,?)+\\s*\\]$")
	innerObject   = lazyregexp.New(`\{[^{}]*\}`)
	stringName    = lazyregexp.New("[\"'`]([@\\w./-]+)[\"'`]")
	traceOption   = lazyregexp.New(`\b(screenshots|sources)["']?\s*:\s*(\w+)`)
)

// Read reads the text of a configuration as it is in CI.
func Read(text []byte) Config {
	source := decideForCI(withoutComments(string(text)))
	c := Config{
		Tries: firstMatch(retries, source), Retries: firstMatch(includeRetry, source), ActionTimeout: firstMatch(actionTimeout, source),
		Trace: firstMatch(traceSetting, source), Named: outputNamed.MatchString(source), Outputs: map[string]string{},
	}
	for _, m := range reporterName.FindAllStringSubmatch(source, -1) {
		if !slices.Contains(c.Reporters, m[1]) {
			c.Reporters = append(c.Reporters, m[1])
		}
	}
	for _, m := range outputFile.FindAllStringSubmatch(source, -1) {
		c.Outputs[m[1]] = m[2]
	}
	for _, m := range traceMode.FindAllStringSubmatch(c.Trace, -1) {
		c.TraceModes = append(c.TraceModes, m[1])
	}
	for _, m := range traceOption.FindAllStringSubmatch(c.Trace, -1) {
		if m[1] == "sources" {
			c.Sources = m[2]
		} else {
			c.Screenshots = m[2]
		}
	}
	if m := blobDir.FindStringSubmatch(source); m != nil {
		c.Outputs["blob"] = m[1]
	}
	if !startsServer.MatchString(source) {
		c.LocalURL = firstMatch(localURL, source)
	}
	c.readProperties(source)
	return c
}

// Inherit adds the settings of base, which c is spread from, where c has none of its own.
func (c *Config) Inherit(base Config) {
	if !c.Configured {
		c.Reporters, c.Outputs, c.Retries, c.Named = base.Reporters, base.Outputs, base.Retries, base.Named
		c.Configured, c.Plain, c.Chosen = base.Configured, base.Plain, base.Chosen
	}
	if c.OutputDir == "" && !c.Computed {
		c.OutputDir, c.Computed = base.OutputDir, base.Computed
	}
	if c.Tries == "" {
		c.Tries = base.Tries
	}
	if c.TestTimeout == "" {
		c.TestTimeout = base.TestTimeout
	}
	if c.Replaces {
		return
	}
	if c.ActionTimeout == "" {
		c.ActionTimeout = base.ActionTimeout
	}
	if c.Trace == "" {
		c.Trace, c.TraceModes, c.Screenshots, c.Sources = base.Trace, base.TraceModes, base.Screenshots, base.Sources
	}
}

// readProperties reads what counts only as a property of the configuration itself.
func (c *Config) readProperties(source string) {
	e, ok := newEditor([]byte(strings.ReplaceAll(source, "\r", "")))
	if !ok {
		return
	}
	value := func(key string) (string, bool) {
		p, there := findProperty(e.properties, key)
		return strings.TrimSpace(string(e.text[p.start:p.end])), there
	}
	if reporter, there := value("reporter"); there {
		if oneString.MatchString(reporter) || plainNames.MatchString(reporter) {
			for _, m := range stringName.FindAllStringSubmatch(reporter, -1) {
				c.Plain = append(c.Plain, m[1])
			}
		}
		c.Chosen = strings.ContainsAny(innerObject.ReplaceAllString(maskLiterals(reporter), ""), "?&|")
		c.Configured = true
	}
	if dir, there := value("outputDir"); there {
		if c.Computed = !oneString.MatchString(dir); !c.Computed {
			c.OutputDir = dir[1 : len(dir)-1]
		}
	}
	c.TestTimeout, _ = value("timeout")
	use, there := value("use")
	c.Replaces = there && !e.merges && !strings.Contains(maskLiterals(use), "...")
}

func firstMatch(re *lazyregexp.Regexp, text string) string {
	if m := re.FindStringSubmatch(text); m != nil {
		return strings.TrimSpace(m[1])
	}
	return ""
}

// span is a comment or string of a script, bytes [start,end).
type span struct {
	start, end int
	comment    bool
}

// commentsAndStrings returns the comments and strings of a script. The end of one that
// is not closed is the end of the text or after it.
func commentsAndStrings(text string) iter.Seq[span] {
	return func(yield func(span) bool) {
		for i := 0; i < len(text); {
			at := span{start: i, comment: true}
			switch c := text[i]; {
			case c == '"' || c == '\'' || c == '`':
				for i++; i < len(text) && text[i] != c; i++ {
					if text[i] == '\\' {
						i++
					}
				}
				at.end, at.comment = i+1, false
			case strings.HasPrefix(text[i:], "//"):
				at.end = i + strings.IndexByte(text[i:]+"\n", '\n')
			case strings.HasPrefix(text[i:], "/*"):
				body, _, _ := strings.Cut(text[i+2:], "*/")
				at.end = i + len(body) + len("/**/")
			default:
				i++
				continue
			}
			if !yield(at) {
				return
			}
			i = at.end
		}
	}
}

// withoutComments returns a script without its comments.
func withoutComments(text string) string {
	var out strings.Builder
	last := 0
	for at := range commentsAndStrings(text) {
		if at.comment {
			out.WriteString(text[last:at.start])
			if text[at.start+1] == '*' {
				out.WriteByte(' ')
			}
			last = min(at.end, len(text))
		}
	}
	return out.String() + text[last:]
}

const maxChoices = 100 // choices in one configuration that are decided

var (
	// onCI matches a question whether CI runs the tests, of a script whose strings are
	// blank: process.env.CI, or a name that was set to it.
	onCI   = lazyregexp.New(`(!*)\s*\(?\bprocess\.env\.CI\b\)?\s*(?:===?\s*["'] *["']\s*)?\?`)
	named  = lazyregexp.New(`\b(?:const|let|var)\s+(\w+)\s*=\s*(?:Boolean\(\s*)?(!*)\s*process\.env\.CI\b\s*\)?\s*[;\n]`)
	asking = "process.env.CI"
)

// decideForCI returns a script in which every `process.env.CI ? a : b` is the value that
// it has in CI. Other conditions stay.
func decideForCI(source string) string {
	for _, m := range named.FindAllStringSubmatch(source, maxChoices) {
		question := lazyregexp.New(`([^\w.$])` + m[1] + `(\s*\?[^.?])`)
		source = question.ReplaceAllString(source, "${1}"+strings.Repeat("!", len(m[2])%2)+asking+"${2}")
	}
	for range maxChoices {
		mask := maskLiterals(source)
		m := onCI.FindStringSubmatchIndex(mask)
		if m == nil || strings.HasPrefix(mask[m[1]:], ".") || strings.HasPrefix(mask[m[1]:], "?") {
			return source
		}
		colon, ok := valueEnd(mask, m[1])
		if !ok || mask[colon] != ':' {
			return source
		}
		end, ok := valueEnd(mask, colon+1)
		if !ok {
			return source
		}
		value := source[m[1]:colon]
		if (m[3]-m[2])%2 == 1 {
			value = source[colon+1 : end]
		}
		source = source[:m[0]] + " " + strings.TrimSpace(value) + source[end:]
	}
	return source
}

// valueEnd returns where the value that starts at start ends: before a comma, a colon,
// a semicolon or a bracket that closes what is around it.
func valueEnd(mask string, start int) (int, bool) {
	depth, choices := 0, 0
	for i := start; i < len(mask); i++ {
		switch c := mask[i]; {
		case strings.IndexByte("{[(", c) >= 0:
			depth++
		case strings.IndexByte("}])", c) >= 0 && depth > 0:
			depth--
		case strings.IndexByte("}]),;", c) >= 0 && depth == 0:
			return i, true
		case c == '?' && depth == 0 && !strings.HasPrefix(mask[i:], "?.") && !strings.HasPrefix(mask[i:], "??") && mask[i-1] != '?':
			choices++
		case c == ':' && depth == 0:
			if choices == 0 {
				return i, true
			}
			choices--
		}
	}
	return 0, false
}
