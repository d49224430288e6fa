package junit

import (
	"regexp"
	"strings"

	"github.com/breadcrumb/action/engine"
)

var (
	directive  = regexp.MustCompile(`(?i)(?:^|[^\\])#\s*(skip|todo)\S*\s*(.*)$`)
	tapTiming  = regexp.MustCompile(`\s*#\s*(?:time=[\d.]+m?s|in [\d.]+ ?m?s(?:ec)?)\s*$|\s+in \d+ ?ms$`)
	tapEscapes = strings.NewReplacer(`\#`, "#", `\\`, `\`)
)

// tapMatch matches body, unless it begins with none of what the pattern begins
// with: an expression costs more than all the rest of a line.
func tapMatch(pattern *regexp.Regexp, body string, beginnings ...string) []string {
	for _, beginning := range beginnings {
		if strings.HasPrefix(body, beginning) {
			return pattern.FindStringSubmatch(body)
		}
	}
	return nil
}

// tapTitle cuts a duration off what follows a point's number, and finds a
// directive in the rest: nil, or the places of its word and reason.
func tapTitle(text string) (title string, directed []int) {
	if strings.HasSuffix(text, "ms") || strings.Contains(text, "#") {
		text = tapTiming.ReplaceAllString(text, "")
	}
	if strings.Contains(text, "#") {
		directed = directive.FindStringSubmatchIndex(text)
	}
	return text, directed
}

func (t *tapReader) newTest(at int, m []string) *tapTest {
	point, status := &tapTest{line: int32(at)}, engine.StatusPassed
	if m[1] != "" {
		status = engine.StatusFailed
	}
	title, d := tapTitle(m[3])
	if d != nil {
		if said := t.more(point); said != nil {
			said.reason = strings.Clone(title[d[4]:d[5]])
		}
		todo := strings.EqualFold(title[d[2]:d[3]], "todo")
		title = title[:strings.LastIndexByte(title[:d[2]], '#')]
		if todo || status == engine.StatusPassed {
			status = engine.StatusSkipped
		}
	}
	title = clean(tapEscapes.Replace(strings.TrimSuffix(title, " -")))
	if title == "" {
		title = "test " + m[2]
	}
	point.title, point.status = strings.Clone(title), statusCode(status)
	return point
}
