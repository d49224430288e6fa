package patch

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// sharedGrid is the forms in which a language lets two tests share a locator: every
// member, behind every decoration and neighbour, reached in every way.
type sharedGrid struct {
	pageFile, testFile string
	class              string   // the page object; {member} is one of members
	load, make         string   // what a test file and a test need to have it as cart
	apart              string   // what a test does that does not use the member
	members            []member // in the class
	modules            []member // instead of the class
	decorations        []string // before a member
	neighbours         []string // before the decoration
	ways               []way
	tests              [3]string // the titles of the healed test, of one that uses the member too, and of one that does not
	kept               int       // the edits that are given beside the last of the three
	healed             string    // what #go is found by, "" for #next
}

// member is code that looks for #go, and what a test does to run it. A module has its
// own load and make, and apart when the class's does not fit.
type member struct {
	name, source, use string
	load, make, apart string
}

// way is the files in which the three tests use the member, with {load}, {make},
// {use} and {apart} in them.
type way struct {
	name      string
	files     map[string]string
	classOnly bool
}

func TestNoFormHidesThatAnotherTestPassedWithTheLocator(t *testing.T) {
	for language, g := range map[string]sharedGrid{"TypeScript": typescriptGrid(), "Python": pythonGrid(), "Java": javaGrid(), "C#": csharpGrid(), "Go": goGrid()} {
		t.Run(language, func(t *testing.T) {
			forms, kept := 0, 0
			for name, files := range g.forms() {
				forms++
				alone, shared, apart := g.propose(files, -1), g.propose(files, 1), g.propose(files, 2)
				switch {
				case alone.Edit == nil:
					t.Errorf("%s: no edit even when nothing else ran: %s", name, alone.Reason)
				case shared.Edit != nil:
					t.Errorf("%s: edited although %s passed with it\n%s", name, g.tests[1], files[g.pageFile].Data)
				case !strings.Contains(shared.Reason, g.tests[1]+" passed with the old locator"):
					t.Errorf("%s: reason %q", name, shared.Reason)
				}
				if apart.Edit != nil {
					kept++
				}
			}
			t.Logf("%d forms, %d edits beside a test that does not use the member", forms, kept)
			if kept != g.kept {
				t.Errorf("%d edits beside a test that does not use the member, want %d", kept, g.kept)
			}
		})
	}
}

// forms returns the checkouts of the grid by name. The decorations and neighbours
// turn with the members, so that each meets each; all of them only in the first way.
func (g sharedGrid) forms() iter.Seq2[string, fstest.MapFS] {
	return func(yield func(string, fstest.MapFS) bool) {
		for at, w := range g.ways {
			turns := 2
			if at == 0 {
				turns = len(g.decorations)
			}
			for i, m := range g.members {
				m.load, m.make = g.load, g.make
				for turn := range turns {
					d, n := (i*turns+turn)%len(g.decorations), (i+turn)%len(g.neighbours)
					page := strings.ReplaceAll(g.class, "{member}", g.neighbours[n]+g.decorations[d]+m.source)
					if !yield(fmt.Sprintf("%s %s, decoration %d, neighbour %d", w.name, m.name, d, n), g.checkout(w, m, page)) {
						return
					}
				}
			}
			for _, m := range g.modules {
				if !w.classOnly && !yield(w.name+" "+m.name, g.checkout(w, m, m.source)) {
					return
				}
			}
		}
	}
}

// checkout returns the files of a form.
func (g sharedGrid) checkout(w way, m member, page string) fstest.MapFS {
	if m.apart == "" {
		m.apart = g.apart
	}
	fill := strings.NewReplacer("{load}", m.load, "{make}", m.make, "{use}", m.use, "{apart}", m.apart)
	files := fstest.MapFS{g.pageFile: {Data: []byte(page)}}
	for name, text := range w.files {
		files[name] = &fstest.MapFile{Data: []byte(fill.Replace(text))}
	}
	return files
}

// propose heals the first test of a checkout, after the one with an index passed.
func (g sharedGrid) propose(files fstest.MapFS, passed int) Proposal {
	p := New(files)
	healed := engine.TestResult{File: g.testFile, Name: g.tests[0]}
	if passed >= 0 {
		p.SetPassed([]PassedTest{{Test: engine.TestResult{File: g.testFile, Name: g.tests[passed]}}})
	}
	page := files[g.pageFile].Data
	line := 1 + bytes.Count(page[:bytes.Index(page, []byte("#go"))], []byte("\n"))
	return p.Propose(engine.HealEvent{
		TestID: engine.TestID(g.tests[0]), Locator: "#go", HealedLocator: cmp.Or(g.healed, "#next"), Confidence: 1,
		Site: &engine.Site{File: g.pageFile, Line: line},
	}, &healed)
}

// fillIn returns text with the words of pairs replaced.
func fillIn(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }
