package run

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/breadcrumb/action/internal/cmdtest"
)

// What starts the tests in a process of its own passes the environment on.
func TestANestedCommandIsLed(t *testing.T) {
	s := newSuite(t, versions[len(versions)-1], "testdata/faults")
	const tests = "node node_modules/@playwright/test/cli.js test -g before"
	if err := errors.Join(
		os.WriteFile(filepath.Join(s.folder, "package.json"), []byte(`{"private": true, "scripts": {"e2e": "`+tests+`"}}`), 0o600),
		os.WriteFile(filepath.Join(s.folder, "Makefile"), []byte("e2e:\n\t@npm run --silent e2e\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"npm run e2e", "make e2e", "sh -c", cmdtest.Program(t) + " run -- npm run e2e"} {
		t.Run(filepath.Base(command), func(t *testing.T) {
			database := filepath.Join(t.TempDir(), "learned.db")
			arguments := append([]string{cmdtest.Program(t), "run", "--db", database, "--"}, strings.Fields(command)...)
			if command == "sh -c" {
				arguments = append(arguments, tests+" && true")
			}
			code, out := s.execute(t, []string{"CI="}, arguments)
			said := strings.Count(out, "breadcrumb:")
			if _, err := os.Stat(database); code != 0 || err != nil || said != 1 || !strings.Contains(out, "breadcrumb: 1 element is known in "+database) {
				t.Errorf("exit code %d, %v\n%s", code, err, out)
			}
		})
	}
}
