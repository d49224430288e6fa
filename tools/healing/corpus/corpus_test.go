package corpus_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/tools/healing/corpus"
)

// folder is where the shared healing corpus is.
var folder = filepath.Join("..", "..", "..", "..", "shared", "corpus", "healing", "dev")

// pairs reads the corpus once for all tests.
var pairs = sync.OnceValues(func() ([]corpus.Pair, error) { return corpus.Read(folder) })

// readCorpus returns the pairs of the shared healing corpus, or skips.
func readCorpus(t *testing.T) []corpus.Pair {
	t.Helper()
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("the healing corpus is not here: %v", err)
	}
	pairs, err := pairs()
	if err != nil {
		t.Fatal(err)
	}
	return pairs
}

func TestReadAndShowEveryQuery(t *testing.T) {
	pairs := readCorpus(t)
	queries, gone := 0, 0
	err := corpus.Scenes(pairs, corpus.Remove, func(s *corpus.Scene) error {
		queries++
		if s.Query.Answer == nil {
			gone++
			return nil
		}
		if !s.Query.Right(*s.Query.Answer) {
			t.Errorf("%s query %d: its own answer is wrong", s.Pair.ID, s.N)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if queries != 3556 || gone != 1342 {
		t.Errorf("%d queries, %d gone", queries, gone)
	}
}

func TestTakenElementsAreOffThePage(t *testing.T) {
	for _, p := range readCorpus(t)[:4] {
		err := corpus.Scenes([]corpus.Pair{p}, corpus.Remove, func(s *corpus.Scene) error {
			for i := range s.New.Len() {
				for _, taken := range s.Query.Taken {
					if s.Original(i) == taken {
						t.Errorf("%s query %d: element %d is still there", p.ID, s.N, taken)
					}
				}
			}
			return nil
		})
		if err != nil && len(p.Queries) > 0 && p.Queries[len(p.Queries)-1].Other == "" {
			t.Error(err)
		}
	}
}

func TestPageStatesOfRealPagesFit(t *testing.T) {
	largest := 0
	for i, p := range readCorpus(t) {
		if i%6 != 0 {
			continue
		}
		state, err := heal.NewPage(p.Old).State()
		if err != nil {
			t.Fatal(err)
		}
		back, err := heal.ReadState(state)
		if err != nil {
			t.Fatal(err)
		}
		if back.Len() != len(p.Old) {
			t.Errorf("%s: %d of %d elements kept", p.ID, back.Len(), len(p.Old))
		}
		largest = max(largest, len(state))
	}
	if largest > heal.MaxStateBytes {
		t.Errorf("largest state has %d bytes", largest)
	}
	t.Logf("largest state: %d bytes", largest)
}

func TestReadSaysWhatIsWrong(t *testing.T) {
	if _, err := corpus.Read(t.TempDir()); err == nil {
		t.Error("an empty folder is no corpus")
	}
}
