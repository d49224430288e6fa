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
	Retries       string   // includeRetries
	ActionTimeout string
	Trace         string   // as written
	TraceModes    []string // named in Trace
	Screenshots   string   // of traces
	Sources       string
	Outputs       map[string]string // the file that a reporter writes, if the text names it
	Named         bool              // a reporter's file is named, perhaps by an expression
}

var (
	reporterName  = lazyregexp.New("[\"'`](junit|json|blob)[\"'`]")
	includeRetry  = lazyregexp.New(`\bincludeRetries["']?\s*:\s*([\w.!]+)`)
	actionTimeout = lazyregexp.New(`\bactionTimeout["']?\s*:\s*([^,\n}]+)`)
	traceSetting  = lazyregexp.New(`\btrace["']?\s*:\s*(\{[^}]*\}|[^,\n}]+)`)
	traceMode     = lazyregexp.New("[\"'`](on|off|on-first-retry|on-all-retries|retain-on-failure|retain-on-first-failure|on-failure)[\"'`]")
	outputFile    = lazyregexp.New("[\"'`](junit|json)[\"'`]\\s*,\\s*\\{[^}]*?\\boutputFile[\"']?\\s*:\\s*[\"'`]([^\"'`]+)[\"'`]")
	outputNamed   = lazyregexp.New(`\boutputFile["']?\s*:`)
	traceOption   = lazyregexp.New(`\b(screenshots|sources)["']?\s*:\s*(\w+)`)
)

// Read reads the text of a configuration.
func Read(text []byte) Config {
	source := withoutComments(string(text))
	c := Config{
		Retries: firstMatch(includeRetry, source), ActionTimeout: firstMatch(actionTimeout, source),
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
	return c
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
