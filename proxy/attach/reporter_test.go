package attach

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A version of Playwright Test whose server would listen to the whole network is not led,
// and the person is told at once.
func TestAVersionThatIsTooOldIsLeftAlone(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node")
	}
	const want = "Tests of Playwright Test ran without Breadcrumb: it has to be version 1.41 or newer, and is 1.40.1"
	for version, told := range map[string]string{"1.40.1": want, "1.41.0": ""} {
		folder := t.TempDir()
		write := func(name, content string) error {
			name = filepath.Join(folder, name)
			return errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(content), 0o600))
		}
		if err := errors.Join(write("node_modules/playwright/package.json", "{}"), write("node_modules/playwright-core/cli.js", ""),
			write("node_modules/playwright-core/package.json", `{"version": "`+version+`"}`), os.Mkdir(filepath.Join(folder, "notes"), 0o700), os.Mkdir(filepath.Join(folder, "requests"), 0o700),
			write("test.js", `const Reporter = require(process.argv[2]); new Reporter().onExit()`)); err != nil {
			t.Fatal(err)
		}
		reporter, err := filepath.Abs("hooks/reporter.cjs")
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(node, filepath.Join(folder, "test.js"), reporter)
		cmd.Env = append(os.Environ(), FolderVariable+"="+folder)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if got := strings.Join((&Session{folder: folder}).readNotes(), "\n"); got != told {
			t.Errorf("of version %s it says %q", version, got)
		}
	}
}
