package trial

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/browsertest"
	"github.com/breadcrumb/action/proxy/attach"
)

// cart is a module whose state outlives a test.
const cart = "left, FOLDER = [], os.environ['OUTSIDE']\n"

// leaves and needs are tests of pytest: one leaves something behind, and one fails then.
func leaves(name, what string) string {
	return fmt.Sprintf("import cart\ndef test_%s():\n    cart.left.append('%s')\n\n", name, what)
}

func needs(condition string) string { return "import cart\ndef test_needs():\n    " + condition + "\n" }

const nothing = "def test_nothing_%d():\n    pass\n\n"

// pytest is real, and of the tests that failed each runs again beside another one.
func TestTheTestThatAnotherFailsAfterIsFound(t *testing.T) {
	t.Parallel()
	python := needPytest(t)
	many := func(from, to int) (tests string) {
		for n := from; n < to; n++ {
			tests += fmt.Sprintf(nothing, n)
		}
		return tests
	}
	empty := needs("assert not cart.left")
	for _, c := range []struct {
		name  string
		files map[string]string
		args  []string
		want  engine.TestID
	}{
		{"right before it", map[string]string{"test_a.py": many(0, 3) + leaves("leaves", "mug"), "test_b.py": empty}, nil, "test_a.py::test_leaves"},
		{"far before it", map[string]string{"test_a.py": many(0, 2) + leaves("leaves", "mug") + many(2, 13), "test_b.py": empty}, nil, "test_a.py::test_leaves"},
		{"which ran beside it again", map[string]string{"test_a.py": leaves("leaves", "mug"), "test_b.py": empty}, nil, "test_a.py::test_leaves"},
		{"with parameters", map[string]string{"test_a.py": "import cart, pytest\n@pytest.mark.parametrize('what', ['mug', 'spoon'])\ndef test_leaves(what):\n    cart.left.append(what)\n", "test_b.py": needs("assert 'spoon' not in cart.left")},
			nil, "test_a.py::test_leaves[spoon]"},
		{"in a worker of pytest-xdist", map[string]string{"test_a.py": leaves("leaves", "mug") + empty, "test_b.py": many(0, 4)}, []string{"-n", "2", "--dist", "loadfile"}, "test_a.py::test_leaves"},
		{"one that failed as well", map[string]string{"test_a.py": many(0, 1) + leaves("leaves", "mug") + "    assert False\n", "test_b.py": empty}, nil, "test_a.py::test_leaves"},
		{"none of two that do it together", map[string]string{"test_a.py": many(0, 2) + leaves("mug", "mug") + leaves("spoon", "spoon"), "test_b.py": needs("assert len(cart.left) < 2")}, nil, ""},
		{"none of a test that fails every second time", map[string]string{"test_a.py": many(0, 1), "test_b.py": needs(
			"file = os.path.join(cart.FOLDER, 'there')\n    there = os.path.exists(file)\n    os.remove(file) if there else open(file, 'w').close()\n    assert there"), "test_c.py": many(0, 1)}, nil, ""},
		{"none of a test that fails alone", map[string]string{"test_a.py": leaves("leaves", "mug"), "test_b.py": needs("assert False")}, nil, ""},
		{"none that ends otherwise in the copy", map[string]string{"test_a.py": many(0, 1) + leaves("leaves", "mug") +
			"    file = os.path.join(cart.FOLDER, 'there')\n    again = os.path.exists(file)\n    open(file, 'w').close()\n    assert not again\n", "test_b.py": empty, "test_c.py": many(0, 1)}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := newPytest(t, python, c.files, c.args...)
			ran := runOnce(t, o)
			failed := slices.IndexFunc(ran, func(test attach.Test) bool { return test.Failed && strings.HasSuffix(string(test.ID), "needs") })
			steady := len(ran) - 1
			for ; !ran[steady].Passed; steady-- {
			}
			o.Tests = []attach.Test{ran[failed], ran[steady]}
			var told []engine.TestID
			tell := func(_ engine.TestID, r Reran) { told = append(told, r.After) }
			reran, why, err := Rerun(t.Context(), o, Again{Times: 2, Control: ran[steady].ID, Ran: ran, Tell: tell})
			if want := slices.Compact([]engine.TestID{"", c.want}); !slices.Equal(told, want) {
				t.Errorf("told of %q, want %q", told, want)
			}
			if got := reran[ran[failed].ID]; got.Times == 0 || got.After != c.want || why != "" || err != nil {
				t.Errorf("%+v, why %q, error %v, want after %q", reran, why, err, c.want)
			}
		})
	}
}

// When time is over or the run is interrupted, what became of the tests stands, and
// nothing is told of their order.
func TestASearchThatIsInterruptedTellsNothing(t *testing.T) {
	t.Parallel()
	python := needPytest(t)
	o := newPytest(t, python, map[string]string{"test_a.py": fmt.Sprintf(nothing, 0) + leaves("leaves", "mug"), "test_b.py": needs(
		"file = os.path.join(cart.FOLDER, 'ran')\n    again = os.path.exists(file)\n    open(file, 'w').close()\n" +
			"    if again and cart.left:\n        open(os.path.join(cart.FOLDER, 'hangs'), 'w').close()\n        time.sleep(3600)\n    assert not cart.left")})
	ran := runOnce(t, o)
	o.Tests = []attach.Test{ran[0], ran[2]}
	ctx, cancel := context.WithCancel(t.Context())
	told := map[engine.TestID]Reran{}
	_, _, err := Rerun(ctx, o, Again{Times: 2, Control: ran[0].ID, Ran: ran, Tell: func(id engine.TestID, r Reran) {
		told[id] = r
		go func() {
			_, outside, _ := strings.Cut(o.Environ[len(o.Environ)-1], "=")
			for ctx.Err() == nil {
				if _, err := os.Stat(filepath.Join(outside, "hangs")); err == nil {
					cancel()
				}
				time.Sleep(10 * time.Millisecond)
			}
		}()
	}})
	if want := map[engine.TestID]Reran{ran[2].ID: {Passed: true, Times: 1}}; !errors.Is(err, context.Canceled) || !cmp.Equal(want, told) {
		t.Errorf("told %+v, error %v", told, err)
	}
}

// needPytest returns a Python that has it, and skips the test where there is none.
func needPytest(t *testing.T) string {
	t.Helper()
	python := browsertest.Python()
	if python == "" {
		t.Skip("there is no python3 with pytest and pytest-xdist (Debian: python3-pytest-xdist)")
	}
	return python
}

// newPytest returns a checkout of tests of pytest and the command that runs them.
func newPytest(t *testing.T, python string, files map[string]string, args ...string) Options {
	t.Helper()
	folder, outside := t.TempDir(), t.TempDir()
	all := map[string]string{"cart.py": "import os\n" + cart}
	for name, text := range files {
		all[name] = "import os, time\n" + text
	}
	write(t, folder, all)
	must(t, os.Mkdir(filepath.Join(folder, ".git"), 0o755))
	executable, err := os.Executable()
	must(t, err)
	return Options{Root: folder, Folder: folder, Environ: append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "OUTSIDE="+outside), Executable: executable,
		Command: append([]string{python, "-m", "pytest", "-q", "-p", "no:cacheprovider"}, args...), Time: time.Hour, Now: time.Now, Log: slog.New(slog.DiscardHandler)}
}

// runOnce runs a command as `breadcrumb run` does, and returns how its tests ended.
func runOnce(t *testing.T, o Options) []attach.Test {
	t.Helper()
	session, err := attach.Open(attach.Options{Live: live.Options{Heal: string(engine.HealOff), DB: live.None, Events: live.None},
		Folder: o.Folder, Executable: o.Executable, Environ: o.Environ, Log: o.Log})
	must(t, err)
	_, err = runProcess(t.Context(), o.Command, o.Folder, append(o.Environ, session.Environment()...))
	must(t, err)
	return session.Close().Tests
}

func TestTheNearestTestsOfItsWorkerAreLookedAt(t *testing.T) {
	t.Parallel()
	attempt := func(id engine.TestID, worker string, took time.Duration) attach.Test {
		return attach.Test{ID: id, Process: "1", Worker: worker, Passed: true, Took: took}
	}
	skipped, other := attempt("skipped", "0", 0), attempt("other process", "0", 0)
	skipped.Passed, other.Process = false, "2"
	needs := attempt("needs", "0", 0)
	var crowd []attach.Test
	var last []engine.TestID
	for n := range 40 {
		id := engine.TestID(fmt.Sprintf("test %d", n))
		crowd = append(crowd, attempt(id, "0", 0))
		if n >= 8 {
			last = append(last, id)
		}
	}
	for _, c := range []struct {
		name string
		ran  []attach.Test
		want []engine.TestID
	}{
		{"in their order", []attach.Test{attempt("b", "0", 0), attempt("a", "0", 0), needs, attempt("c", "0", 0)}, []engine.TestID{"b", "a"}},
		{"before its first attempt", []attach.Test{attempt("a", "0", 0), needs, attempt("b", "1", 0), attempt("needs", "1", 0)}, []engine.TestID{"a"}},
		{"once each", []attach.Test{attempt("a", "0", 0), attempt("a", "0", 0), needs}, []engine.TestID{"a"}},
		{"of no other worker or process", []attach.Test{attempt("a", "1", 0), other, attempt("b", "0", 0), needs}, []engine.TestID{"b"}},
		{"none that was skipped", []attach.Test{attempt("a", "0", 0), skipped, needs}, []engine.TestID{"a"}},
		{"32 at most", append(crowd, needs), last},
		{"that took a fifth of the time", []attach.Test{attempt("a", "0", 1), attempt("b", "0", time.Minute/2), attempt("c", "0", time.Minute/2), needs}, []engine.TestID{"b", "c"}},
	} {
		test, before, told := behind(c.ran, "needs")
		a := &rerunning{trying: &trying{options: Options{Time: 5 * time.Minute}}, ran: c.ran}
		if diff := cmp.Diff(c.want, newSearch(a, test, before).before); diff != "" || !told {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
