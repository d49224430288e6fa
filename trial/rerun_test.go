package trial

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/proxy/attach"
)

const flakySuite = `package shop

import (
	"os"
	"testing"
)

func TestFlakes(t *testing.T) {
	if _, err := os.Stat(os.Getenv("RAN")); err != nil {
		os.WriteFile(os.Getenv("RAN"), nil, 0o600)
		t.Fatal("the first time")
	}
}

func TestBroken(t *testing.T) { t.Fatal("always") }

func TestOther(t *testing.T) { t.Fatal("is not to run") }

func TestWorks(t *testing.T) {}
`

func TestTestsRunAgain(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, map[string]string{"go.mod": "module example.com/shop\n\ngo 1.26\n", "shop_test.go": flakySuite})
	before := digest(t, folder)
	executable, err := os.Executable()
	must(t, err)
	flakes, broken, works := engine.TestID("example.com/shop › TestFlakes"), engine.TestID("example.com/shop › TestBroken"), engine.TestID("example.com/shop › TestWorks")
	for _, c := range []struct {
		name, command string
		how           Again
		tests         []engine.TestID
		want          map[engine.TestID]Reran
		why           string
	}{
		{"until they pass", "test", Again{Times: 3}, []engine.TestID{flakes, broken}, map[engine.TestID]Reran{flakes: {Passed: true, Times: 2, Failed: 1}, broken: {Times: 3, Failed: 3}}, ""},
		{"always", "test", Again{Times: 3, Always: true}, []engine.TestID{flakes}, map[engine.TestID]Reran{flakes: {Passed: true, Times: 3, Failed: 1}}, ""},
		{"with a control", "test", Again{Times: 2, Control: works}, []engine.TestID{broken, works}, map[engine.TestID]Reran{broken: {Times: 2, Failed: 2}}, ""},
		{"whose control fails in the copy", "test", Again{Times: 2, Control: broken}, []engine.TestID{flakes, broken, "example.com/shop › TestOther"},
			map[engine.TestID]Reran{flakes: {Passed: true, Times: 2, Failed: 1}}, string(broken) + " passed before and fails in the copy of the checkout as well, so a failure there proves nothing"},
		{"of another command", "run", Again{Times: 1}, []engine.TestID{flakes}, nil, `"go run ./..." is no test runner that a trial can filter: name playwright test, pytest, mvn, gradle, dotnet test or go test itself`},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := Options{Root: folder, Folder: folder, Environ: append(os.Environ(), "RAN="+filepath.Join(t.TempDir(), "ran")), Executable: executable,
				Command: []string{"go", c.command, "./..."}, Time: time.Hour, Now: time.Now, Log: slog.New(slog.DiscardHandler)}
			for _, id := range c.tests {
				o.Tests = append(o.Tests, attach.Test{ID: id})
			}
			var told map[engine.TestID]Reran
			c.how.Tell = func(id engine.TestID, r Reran) {
				if told == nil {
					told = map[engine.TestID]Reran{}
				}
				told[id] = r
			}
			reran, why, err := Rerun(t.Context(), o, c.how)
			if diff := cmp.Diff(reran, told); diff != "" {
				t.Errorf("told (-returned +told):\n%s", diff)
			}
			if diff := cmp.Diff(c.want, reran); diff != "" || why != c.why || err != nil {
				t.Errorf("why %q, error %v, reran (-want +got):\n%s", why, err, diff)
			}
		})
	}
	if diff := cmp.Diff(before, digest(t, folder)); diff != "" {
		t.Errorf("the checkout is touched:\n%s", diff)
	}
}
