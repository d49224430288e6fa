// Package pwconfig reads a Playwright configuration as far as its text tells
// without running it, and says what to switch on for Breadcrumb and why.
package pwconfig

import (
	"regexp"
	"slices"
	"strings"
)

// Config is what the text of one playwright.config file says. A setting that is
// not there is "".
type Config struct {
	File          string
	Reporters     []string // of those that Breadcrumb reads: junit, json, blob
	Retries       string   // includeRetries
	ActionTimeout string
	Trace         string   // as written
	TraceModes    []string // named in Trace
	Screenshots   string   // of traces
	Sources       string
	Outputs       map[string]string // file that a reporter writes, where the text names it
	Named         bool              // some reporter's file is named, if not by the text alone
}

var (
	reporterName  = regexp.MustCompile("[\"'`](junit|json|blob)[\"'`]")
	includeRetry  = regexp.MustCompile(`\bincludeRetries["']?\s*:\s*([\w.!]+)`)
	actionTimeout = regexp.MustCompile(`\bactionTimeout["']?\s*:\s*([^,\n}]+)`)
	traceSetting  = regexp.MustCompile(`\btrace["']?\s*:\s*(\{[^}]*\}|[^,\n}]+)`)
	traceMode     = regexp.MustCompile("[\"'`](on|off|on-first-retry|on-all-retries|retain-on-failure|retain-on-first-failure|on-failure)[\"'`]")
	outputFile    = regexp.MustCompile("[\"'`](junit|json)[\"'`]\\s*,\\s*\\{[^}]*?\\boutputFile[\"']?\\s*:\\s*[\"'`]([^\"'`]+)[\"'`]")
	outputNamed   = regexp.MustCompile(`\boutputFile["']?\s*:`)
	traceOption   = regexp.MustCompile(`\b(screenshots|sources)["']?\s*:\s*(\w+)`)
)

// Read reads the text of a configuration.
func Read(file string, text []byte) Config {
	source := withoutComments(string(text))
	c := Config{File: file, Retries: first(includeRetry, source), ActionTimeout: first(actionTimeout, source), Trace: first(traceSetting, source)}
	for _, m := range reporterName.FindAllStringSubmatch(source, -1) {
		if !slices.Contains(c.Reporters, m[1]) {
			c.Reporters = append(c.Reporters, m[1])
		}
	}
	c.Named = outputNamed.MatchString(source)
	for _, m := range outputFile.FindAllStringSubmatch(source, -1) {
		if c.Outputs == nil {
			c.Outputs = map[string]string{}
		}
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

func first(re *regexp.Regexp, text string) string {
	if m := re.FindStringSubmatch(text); m != nil {
		return strings.TrimSpace(m[1])
	}
	return ""
}

// withoutComments returns a script with its comments blanked. What looks like
// one inside a string stays.
func withoutComments(text string) string {
	var out strings.Builder
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0:
			if c == '\\' && i+1 < len(text) {
				out.WriteByte(c)
				i++
				c = text[i]
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case strings.HasPrefix(text[i:], "//"):
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				return out.String()
			}
			i += end
			c = '\n'
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				return out.String()
			}
			i += end + 3
			c = ' '
		}
		out.WriteByte(c)
	}
	return out.String()
}
