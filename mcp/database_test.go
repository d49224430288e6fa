package mcp_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/breadcrumb/action/mcp"
)

func TestOnlyThePathOfTheDatabaseIsAccepted(t *testing.T) {
	path := shop(t)
	dir := filepath.Dir(path)
	other := filepath.Join(dir, "other.db")
	history(t, other)
	link := filepath.Join(dir, "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	a := newAsker(t, path)
	for _, same := range []string{path, ".breadcrumb.db", "./x/../.breadcrumb.db", link, dir + "//.breadcrumb.db"} {
		a.ask("breadcrumb_stats", map[string]any{"db_path": same})
	}
	var message string
	for _, another := range []string{other, "other.db", "none.db", "/etc/passwd", "../.breadcrumb.db", ".", "postgres://u:p@h/db", "\x00", path + "\x00", "file:" + path} {
		why := a.refused("breadcrumb_stats", map[string]any{"db_path": another})
		if message != "" && why != message {
			t.Errorf("%q is told from the others: %s", another, why)
		}
		message = why
	}
}

func TestASnapshotThatTakesTheFilesPlaceIsRead(t *testing.T) {
	path := shop(t)
	a := newAsker(t, path)
	before := a.ask("breadcrumb_stats", nil)["tests"]

	next := shop(t, "one more", "and another")
	replace(t, next, path)
	if after := a.ask("breadcrumb_stats", nil)["tests"]; after != before.(float64)+2 {
		t.Errorf("%v tests, before %v", after, before)
	}

	broken := filepath.Join(t.TempDir(), "broken.db")
	if err := os.WriteFile(broken, []byte(strings.Repeat("no database ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	replace(t, broken, path)
	if why := a.refused("breadcrumb_stats", nil); !strings.Contains(why, "not a readable Breadcrumb database") {
		t.Errorf("a broken file: %s", why)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if why := a.refused("breadcrumb_stats", nil); !strings.Contains(why, "no database at") {
		t.Errorf("a file that is gone: %s", why)
	}
	if status := a.ask("breadcrumb_doctor", nil)["status"]; status != "NOT FOUND" {
		t.Errorf("the doctor says %v of a file that is gone", status)
	}
	history(t, path)
	if after := a.ask("breadcrumb_stats", nil)["tests"]; after != before {
		t.Errorf("%v tests in the file that came back", after)
	}
}

func replace(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func TestAskingWritesNothing(t *testing.T) {
	path := shop(t)
	t.Setenv("TMPDIR", t.TempDir())
	dir := filepath.Dir(path)
	before := tree(t, dir)
	a := newAsker(t, path)
	for tool, arguments := range questions() {
		a.ask(tool, arguments)
	}
	if after := tree(t, dir); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// tree lists the files of a directory with their times and sizes.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var list strings.Builder
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			list.WriteString(info.ModTime().String() + " " + info.Mode().String() + " " + name + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list.String()
}

func TestADatabaseThatIsNotThereIsToldAtTheStart(t *testing.T) {
	_, err := mcp.OpenArchive(t.Context(), filepath.Join(t.TempDir(), "none.db"))
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "--db") {
		t.Errorf("%v", err)
	}
}

// Every answer is of one snapshot, however many ask while others take its place.
func TestManyAskWhileSnapshotsComeAndGo(t *testing.T) {
	path := shop(t)
	a := newAsker(t, path)
	stop := make(chan struct{})
	var askers sync.WaitGroup
	for range 4 {
		askers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				result, err := a.session.CallTool(t.Context(), &sdk.CallToolParams{Name: "breadcrumb_stats"})
				if err != nil || result.IsError {
					t.Errorf("%v, %v", result, err)
					return
				}
				n := result.StructuredContent.(map[string]any)
				if extra := n["tests"].(float64) - others - 2; extra < 0 || extra > 3 || n["test_runs"] != 12*(others+2+extra)+3 {
					t.Errorf("a mixture: %v", n)
				}
			}
		})
	}
	for n := range 6 {
		replace(t, shop(t, []string{"a", "b", "c"}[:n%4]...), path)
	}
	close(stop)
	askers.Wait()
}
