package identity

import (
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// MaxSimilar is how many similar names [FindName] returns.
const MaxSimilar = 5

var (
	listNumber  = lazyregexp.New(`^\s*(?:\d+\)|\[\d+/\d+\]) `)                                                        // as Playwright numbers failures, and its reporter line the tests
	headingRule = lazyregexp.New(`\s*─+\s*$`)                                                                         // behind the heading of one
	listLine    = lazyregexp.New(`^\s*(?:ok|x|-|[✓✘±])\s+\d+ (.+?)(?: \(retry #\d+\))?(?: \([\d.]+(?:ms|s|m|h)\))?$`) // of its reporter list
	suffixedEnv = lazyregexp.New(`[^\]\s] \[([^\]]+)\]$`)                                                             // of an identity
)

// FindName returns the one of names that asked means: that name, a line that Playwright
// prints of the test ("[chromium] › tests/a.spec.ts:35:3 › signs in"), or a part that no
// other name has. Where none is meant, or more than one, found is "" and similar are the
// first of those that could be.
func FindName(names []engine.TestID, asked string) (found engine.TestID, similar []engine.TestID) {
	asked = listLine.ReplaceAllString(asked, "$1")
	asked = headingRule.ReplaceAllLiteralString(listNumber.ReplaceAllLiteralString(asked, ""), "")
	if id := engine.NewTestID(asked); slices.Contains(names, id) {
		return id, nil
	}
	if strings.TrimSpace(asked) == "" {
		return "", nil
	}
	results := make([]engine.TestResult, len(names))
	for i, name := range names {
		results[i].ID = name
		if m := suffixedEnv.FindStringSubmatch(string(name)); m != nil {
			results[i].Environment = m[1]
		}
	}
	if r, ok := NewIndex(results).Find(engine.NewTestID(asked)); ok {
		return r.ID, nil
	}
	part := strings.ToLower(text.Line(asked))
	for _, name := range names {
		if strings.Contains(strings.ToLower(text.Line(string(name))), part) {
			if similar = append(similar, name); len(similar) == MaxSimilar {
				return "", similar
			}
		}
	}
	if len(similar) == 1 {
		return similar[0], nil
	}
	return "", similar
}
