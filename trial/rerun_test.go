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
`

func TestFailedTestsRunAgainUntilTheyPass(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, map[string]string{"go.mod": "module example.com/shop\n\ngo 1.26\n", "shop_test.go": flakySuite})
	before := digest(t, folder)
	executable, err := os.Executable()
	must(t, err)
	o := Options{Root: folder, Folder: folder, Environ: append(os.Environ(), "RAN="+filepath.Join(t.TempDir(), "ran")), Executable: executable,
		Tests: []attach.Test{{ID: "example.com/shop › TestFlakes"}, {ID: "example.com/shop › TestBroken"}}, Time: time.Hour, Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	for _, c := range []struct {
		name, command string
		want          map[engine.TestID]Reran
		why           string
	}{
		{"of a known runner", "test", map[engine.TestID]Reran{"example.com/shop › TestFlakes": {true, 2}, "example.com/shop › TestBroken": {false, 3}}, ""},
		{"of another command", "run", nil, `"go run ./..." is no test runner that a trial can filter: name playwright test, pytest, mvn, gradle, dotnet test or go test itself`},
	} {
		t.Run(c.name, func(t *testing.T) {
			o.Command = []string{"go", c.command, "./..."}
			reran, why, err := Rerun(t.Context(), o, 3)
			if diff := cmp.Diff(c.want, reran); diff != "" || why != c.why || err != nil {
				t.Errorf("why %q, error %v, reran (-want +got):\n%s", why, err, diff)
			}
		})
	}
	if diff := cmp.Diff(before, digest(t, folder)); diff != "" {
		t.Errorf("the checkout is touched:\n%s", diff)
	}
}
