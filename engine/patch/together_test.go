package patch

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// A Proposer remembers of the checkout what one event asked for, and forgets it when that
// is too much: neither shows in what it proposes for another.
func TestEventsAreProposedTogetherAsEachAlone(t *testing.T) {
	const large = 16 // files that are more than a Proposer remembers
	files, err := filepath.Glob("testdata/public/*.txtar")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d suites, %v", len(files), err)
	}
	for _, file := range files {
		source, passed, heals := readSuite(t, file)
		propose := func(p *Proposer, i int) Proposal { return p.Propose(heals[i].heal, heals[i].result) }
		alone := make([]Proposal, len(heals))
		for i := range heals {
			p := New(source)
			p.SetPassed(passed)
			alone[i] = propose(p, i)
		}
		for i := range large {
			source[fmt.Sprintf("large/f%d.ts", i)] = &fstest.MapFile{Data: []byte(strings.Repeat("f(x);\n", 5000))}
		}
		for _, forgets := range []bool{false, true} {
			p := New(source)
			p.SetPassed(passed)
			together := make([]Proposal, len(heals))
			for turn := range 2 * len(heals) { // each after every other
				if forgets && turn%len(heals) == len(heals)/2 {
					for i := range large {
						_, _ = p.tree.Load(fmt.Sprintf("large/f%d.ts", i))
					}
				}
				together[turn%len(heals)] = propose(p, turn%len(heals))
			}
			if diff := cmp.Diff(alone, together, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
				t.Errorf("%s, forgetting %v (-alone +together):\n%s", filepath.Base(file), forgets, diff)
			}
		}
	}
}
