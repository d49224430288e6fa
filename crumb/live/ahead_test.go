package live

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/crumb/live/internal/record"
	"github.com/breadcrumb/action/engine"
)

// slowFrame finds nothing, and says so after a while.
type slowFrame struct {
	Frame
	takes time.Duration
}

func (f slowFrame) Find(string) Locator { return &slowAnswer{takes: f.takes} }

type slowAnswer struct {
	lostLocator
	takes time.Duration
}

func (a *slowAnswer) EvaluateAll(string, ...any) (any, error) {
	time.Sleep(a.takes)
	return "[]", nil
}

// Whether what was asked of a page in the time that a lost call waits is all of it.
func TestALookSaysWhetherItWasCutShort(t *testing.T) {
	var learned []engine.Fingerprint
	for i := range 2 * aheadQuestions {
		learned = append(learned, engine.Fingerprint{Tag: "input", Locator: fmt.Sprintf("#field-%d", i)})
	}
	for takes, want := range map[time.Duration]bool{askTime / 10: false, 6 * askTime / 10: true} {
		synctest.Test(t, func(t *testing.T) {
			l := &aheadLook{healing: &healing{}, learned: learned, answers: map[string][]int{}}
			l.within, l.stop = context.WithTimeout(t.Context(), askTime)
			defer l.stop()
			go func() {
				<-l.within.Done()
				l.endQuestions()
			}()
			l.ask([]Frame{slowFrame{takes: takes}})
			l.stop()
			synctest.Wait()
			if l.cut != want || !want && len(l.answers) != len(learned) {
				t.Errorf("answers after %v: %d of %d, cut short %v", takes, len(l.answers), len(learned), l.cut)
			}
		})
	}
}

// A busy machine cuts a look short, and the next loss on the page goes on with it.
func TestAPageIsLookedAtUntilAllOfItIsKnown(t *testing.T) {
	files := record.Files{Database: "a.db"}
	for _, c := range []struct {
		name string
		cut  []bool   // of each look
		want []string // what the looks find settled, in their order
	}{
		{"whole at once", []bool{false}, []string{""}},
		{"cut short once", []bool{true, false}, []string{"", "#0"}},
		{"cut short at each look", []bool{true, true, true, true, true, true}, []string{"", "#0", "#0 #1", "#0 #1 #2", "#0 #1 #2 #3"}},
	} {
		s := &shared{ahead: map[record.Files]map[string]*aheadPage{}}
		var got []string
		for i, cut := range c.cut {
			settled, free := s.claimPage(files, "/add")
			if !free {
				break
			}
			if _, again := s.claimPage(files, "/add"); again {
				t.Errorf("%s: two looks at once", c.name)
			}
			var known []string
			for n := range len(settled) {
				if name := fmt.Sprint("#", n); settled[name] {
					known = append(known, name)
				}
			}
			got = append(got, strings.Join(known, " "))
			if cut {
				s.reopenPage(files, "/add", map[string]bool{fmt.Sprint("#", i): true})
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if _, free := s.claimPage(files, "/add"); free {
			t.Errorf("%s: there is one more look", c.name)
		}
	}
}
