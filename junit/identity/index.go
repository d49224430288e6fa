package identity

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/junit/location"
)

// Index finds the result that a heal event's test_id means.
type Index struct {
	results []engine.TestResult
	exact   map[engine.TestID]int // identity to result
	last    map[string][]int      // last token of an identity to results
	ids     []parts
	known   map[string]bool // environments
}

// parts is an identity cut into pieces that can be compared.
type parts struct {
	file  []string // path segments, empty where the identity names no file
	title []string // class, suite and name, cut at every separator
	env   string
}

// NewIndex returns an index over results. They are not copied.
func NewIndex(results []engine.TestResult) *Index {
	x := &Index{
		results: results,
		exact:   make(map[engine.TestID]int, len(results)),
		last:    make(map[string][]int, len(results)),
		ids:     make([]parts, len(results)),
		known:   map[string]bool{},
	}
	for i, r := range results {
		x.exact[r.ID] = i
		if r.Environment != "" {
			x.known[Clean(r.Environment)] = true
		}
	}
	for i, r := range results {
		x.ids[i] = x.splitIdentity(string(r.ID))
		if n := len(x.ids[i].title); n > 0 {
			key := x.ids[i].title[n-1]
			x.last[key] = append(x.last[key], i)
		}
	}
	return x
}

// Find returns the one result that testID names: the one with that identity, else
// the one with the same segments, else the one whose title ends in testID's title
// or the other way round. Where two results fit equally it returns none.
func (x *Index) Find(testID engine.TestID) (engine.TestResult, bool) {
	if i, ok := x.exact[engine.NewTestID(strings.TrimSpace(string(testID)))]; ok {
		return x.results[i], true
	}
	wanted := x.splitIdentity(string(testID))
	if len(wanted.title) == 0 {
		return engine.TestResult{}, false
	}
	candidates := x.last[wanted.title[len(wanted.title)-1]]
	for _, fits := range matchers {
		var found []int
		for _, i := range candidates {
			if (wanted.env == "" || wanted.env == x.ids[i].env) && fits(wanted, x.ids[i]) {
				found = append(found, i)
			}
		}
		switch {
		case len(found) == 1:
			return x.results[found[0]], true
		case len(found) > 1:
			return engine.TestResult{}, false
		}
	}
	return engine.TestResult{}, false
}

// matchers compare a wanted identity with that of a result, the strictest first.
var matchers = []func(wanted, have parts) bool{
	func(w, h parts) bool { return slices.Equal(w.file, h.file) && slices.Equal(w.title, h.title) },
	func(w, h parts) bool { return sameFile(w.file, h.file) && slices.Equal(w.title, h.title) },
	func(w, h parts) bool { return sameFile(w.file, h.file) && endsOther(w.title, h.title) },
	func(w, h parts) bool {
		return (len(w.file) == 0 || len(h.file) == 0) && endsOther(append(slices.Clone(w.file), w.title...), append(slices.Clone(h.file), h.title...))
	},
	func(w, h parts) bool { return (len(w.file) == 0 || len(h.file) == 0) && endsOther(w.title, h.title) },
}

// sameFile reports whether both are files and the segments of one end the other.
func sameFile(a, b []string) bool { return len(a) > 0 && len(b) > 0 && endsOther(a, b) }

// endsOther reports whether the shorter of a and b is the end of the longer.
func endsOther(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return slices.Equal(a, b[len(b)-len(a):])
}

var (
	leadingEnv   = lazyregexp.New(`^\[([^\]]+)\] › `)
	trailingEnv  = lazyregexp.New(` \[([^\]]+)\]$`)
	positionTail = lazyregexp.New(`(?::\d+){1,2}$`)
	separators   = lazyregexp.New(` › | > |::|[/\\.#]`)
	fileSegment  = lazyregexp.New(`^[^\s:]+\.[A-Za-z]{1,6}$`)
)

// platformEngines are what JUnit's console launcher names its suites, one an engine. A
// test does not know which ran it, and its heal events name none.
var platformEngines = []string{"JUnit Jupiter", "JUnit Vintage", "JUnit Platform Suite"}

// splitIdentity cuts an identity into environment, file and title. A trailing
// "[word]" is an environment only where a result has that environment.
func (x *Index) splitIdentity(id string) parts {
	id = Clean(strings.TrimSpace(id))
	var out parts
	for _, pattern := range []*lazyregexp.Regexp{leadingEnv, trailingEnv} {
		if m := pattern.FindStringSubmatch(id); m != nil && x.known[m[1]] {
			out.env = m[1]
			id = pattern.ReplaceAllLiteralString(id, "")
		}
	}
	head, rest := cutFile(id)
	if file := location.Slashed(positionTail.ReplaceAllString(head, "")); rest != "" && fileSegment.MatchString(file) && location.LooksLikeSource(file) {
		out.file = splitTokens(file)
		id = rest
	}
	out.title = slices.DeleteFunc(splitTokens(id), func(token string) bool { return slices.Contains(platformEngines, token) })
	return out
}

// cutFile cuts an identity behind its first segment.
func cutFile(id string) (head, rest string) {
	best := len(id)
	for _, separator := range []string{Separator, " > ", "::"} {
		if i := strings.Index(id, separator); i >= 0 && i < best {
			best, head, rest = i, id[:i], id[i+len(separator):]
		}
	}
	return head, rest
}

// splitTokens cuts text at every separator that a runner uses.
func splitTokens(text string) []string {
	var out []string
	for _, part := range separators.Split(text, -1) {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}
