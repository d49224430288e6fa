package crumb_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/mxschmitt/playwright-go"

	"github.com/breadcrumb/action/crumb"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/browsertest"
)

// TestHealWithoutNetwork is what TestNothingIsDialled starts where there is no
// network. Its page comes from the driver's pipe.
func TestHealWithoutNetwork(t *testing.T) {
	if os.Getenv("CRUMB_TEST_NO_NETWORK") == "" {
		t.Skip("started by another test")
	}
	patiently(t, func(p patience) string {
		folder := t.TempDir()
		options := crumb.Options{TestID: t.Name(), DB: filepath.Join(folder, "crumbs.db"), Events: filepath.Join(folder, "heals.ndjson"), Timeout: learningTime}
		must(t, discardWithoutNetwork(t, options, "discard"))
		options.Timeout = p.timeout()
		if err := discardWithoutNetwork(t, options, "reset"); err != nil {
			return err.Error()
		}
		if got := events(t, options.Events); len(got) != 1 || got[0].Outcome != engine.OutcomeHealed {
			t.Errorf("want one heal: %s", formatEvents(got))
		}
		return ""
	})
}

// discardWithoutNetwork clicks the button on a page that comes from the driver's pipe, where it has an id.
func discardWithoutNetwork(t *testing.T, options crumb.Options, id string) error {
	t.Helper()
	page, err := crumb.Wrap(rawPage(t), options)
	must(t, err)
	must(t, page.Route("**/*", func(r playwright.Route) {
		_ = r.Fulfill(playwright.RouteFulfillOptions{ContentType: playwright.String("text/html; charset=utf-8"),
			Body: strings.Replace(shop, `id="discard"`, `id="`+id+`"`, 1)})
	}))
	measurePace(func() { _, err = page.Goto("http://shop.invalid/") })
	must(t, err)
	return errors.Join(page.Locator("#discard").Click(), page.Close())
}

// Everything works in a process, with its driver and its browser, that cannot
// dial: in a network namespace of its own not even loopback is up.
func TestNothingIsDialled(t *testing.T) {
	browsertest.Browser(t)
	t.Parallel()
	child := exec.Command(os.Args[0], "-test.run=^TestHealWithoutNetwork$", "-test.v")
	child.Env = append(os.Environ(), "CRUMB_TEST_NO_NETWORK=1", "BREADCRUMB_BROWSER=1")
	child.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if os.Getuid() != 0 {
		child.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}}
	}
	out, err := child.CombinedOutput()
	if err != nil && child.Process == nil {
		t.Skipf("this machine makes no network namespace: %v", err)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: TestHealWithoutNetwork") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Of the code behind a wrapped page ours knows no way to dial; playwright-go,
// which can download a driver, and the database's drivers do, and the test above
// takes that from them.
func TestNothingOfOursCanDial(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports", ".")
	out, err := list.Output()
	must(t, err)
	seen := 0
	for decoder := json.NewDecoder(strings.NewReader(string(out))); decoder.More(); {
		var p struct {
			ImportPath string
			Imports    []string
		}
		must(t, decoder.Decode(&p))
		if !strings.HasPrefix(p.ImportPath, "github.com/breadcrumb/action/") {
			continue
		}
		seen++
		for _, banned := range []string{"net", "net/http", "net/rpc", "crypto/tls"} {
			if slices.Contains(p.Imports, banned) {
				t.Errorf("%s imports %s", p.ImportPath, banned)
			}
		}
	}
	if seen < 3 {
		t.Fatalf("only %d packages of ours were looked at", seen)
	}
}
