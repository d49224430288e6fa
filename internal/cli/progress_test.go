package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"
)

func TestProgressIsOneLineFromASecondOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := &progress{terminal: &out, width: 40}
		written := func() string {
			p.mu.Lock()
			defer p.mu.Unlock()
			return out.String()
		}
		p.show("merging %s", "\x1b[31mone\n.db, and more than fits on the line of forty columns")
		time.Sleep(950 * time.Millisecond)
		synctest.Wait()
		if written() != "" {
			t.Fatalf("wrote %q in the first second", written())
		}
		time.Sleep(time.Second)
		synctest.Wait()
		first, _, _ := strings.Cut(strings.TrimPrefix(written(), "\r"), "\r")
		if want := "⠙ merging one .db, and more than fi… 1 s\x1b[K"; first != want {
			t.Errorf("the line is %q, want %q", first, want)
		}
		p.show("saving")
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if !strings.Contains(written(), " saving 2 s\x1b[K") {
			t.Errorf("wrote %q", written())
		}
		p.close()
		if !strings.HasSuffix(written(), "\r\x1b[K") {
			t.Errorf("the line is left: %q", written())
		}
		p.mu.Lock()
		out.Reset()
		p.mu.Unlock()
		time.Sleep(time.Minute)
		synctest.Wait()
		if written() != "" {
			t.Errorf("wrote %q after the end", written())
		}
	})
}

func TestWhatIsWrittenTakesTheProgressAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := &progress{terminal: &out, width: 80}
		file, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		p.show("reading")
		time.Sleep(1050 * time.Millisecond)
		synctest.Wait()
		if _, err := p.wrapOutput(file).Write([]byte("told")); err != nil {
			t.Fatal(err)
		}
		p.close()
		if strings.Count(out.String(), "\r\x1b[K") != 1 || !strings.HasSuffix(out.String(), "\r\x1b[K") {
			t.Errorf("the line is there beside what was written: %q", out.String())
		}
	})
}

func TestNobodyWatchesOutsideATerminal(t *testing.T) {
	none := func(string) string { return "" }
	file, err := os.Create(filepath.Join(t.TempDir(), "err"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if p := newProgress(file, none); p != nil {
		t.Error("a file is taken for a terminal")
	}
	if p := newProgress(&bytes.Buffer{}, none); p != nil {
		t.Error("a buffer is taken for a terminal")
	}
}

// A terminal has the report in colour and within its width, anything else neither.
func TestReportFitsTheTerminal(t *testing.T) {
	if _, err := exec.LookPath("script"); err != nil {
		t.Skip("script, which runs a command on a terminal, is not installed")
	}
	dir := t.TempDir()
	run := func(line string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "TERM=xterm", "NO_COLOR=", "CI=", "GITHUB_ACTIONS=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
		return string(out)
	}
	run(`printf '<testsuite name="s"><testcase name="one with a name of many words that wants more than one line" classname="s"/></testsuite>' > r.xml; breadcrumb ci --junit r.xml`)
	run(`breadcrumb quarantine add 's › one with a name of many words that wants more than one line' --reason 'because of one thing and another'`)
	for _, width := range []int{60, 80, 120} {
		out := run(fmt.Sprintf("script -qefc 'stty cols %d; breadcrumb report' typed </dev/null", width))
		if !strings.Contains(out, "\x1b[") {
			t.Errorf("no colour at %d columns: %q", width, out)
		}
		for line := range strings.Lines(ansi.ReplaceAllString(out, "")) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\r\n")); n > width {
				t.Errorf("a line of %d at %d columns: %s", n, width, line)
			}
		}
	}
	if out := run("breadcrumb report"); strings.Contains(out, "\x1b") {
		t.Errorf("colour in a pipe: %q", out)
	}
}

var ansi = regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`)

// On a real terminal a slow report has its line, and in CI it has not.
func TestProgressOnATerminal(t *testing.T) {
	if _, err := exec.LookPath("script"); err != nil {
		t.Skip("script, which runs a command on a terminal, is not installed")
	}
	const slow = `mkfifo r.xml; (printf '<testsuite name="s"><testcase name="one"/>'; sleep 2; printf '</testsuite>') > r.xml & ` +
		`script -qefc 'breadcrumb junit r.xml' typed </dev/null`
	for name, c := range map[string]struct {
		env  string
		want bool
	}{"terminal": {"CI=", true}, "CI": {"CI=true", false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), "sh", "-c", slow)
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), c.env, "GITHUB_ACTIONS=", "TERM=xterm")
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "s › one") {
				t.Fatalf("%v: %q", err, out)
			}
			if got := strings.Contains(string(out), "reading, 0 MB so far 1 s\x1b[K"); got != c.want {
				t.Errorf("a line %v, want %v: %q", got, c.want, out)
			}
			if c.want && !strings.Contains(string(out), "\r\x1b[K") {
				t.Errorf("the line is left: %q", out)
			}
		})
	}
}

// A question waits for its answer without the line, which would be drawn over it.
func TestAQuestionOnATerminalIsNotDrawnOver(t *testing.T) {
	if _, err := exec.LookPath("script"); err != nil {
		t.Skip("script, which runs a command on a terminal, is not installed")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.spec.ts":    "test('pays', async ({ page }) => {\n  await page.locator('#pay').click();\n});\n",
		"r.xml":        `<testsuite name="a.spec.ts"><testcase name="pays" classname="a.spec.ts"/></testsuite>`,
		"heals.ndjson": `{"schema":"breadcrumb.heal/v1","test_id":"a.spec.ts › pays","locator":"#pay","confidence":0.97,"outcome":"healed","healed_locator":"#buy","site":{"file":"a.spec.ts","line":2},"timestamp":1772359200}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `(sleep 3; echo n) | script -qefc 'breadcrumb apply --junit r.xml --heal-events heals.ndjson' typed`)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CI=", "GITHUB_ACTIONS=", "TERM=xterm")
	out, err := cmd.CombinedOutput()
	_, waited, asked := strings.Cut(string(out), "Make 1 edit?")
	if err != nil || !asked || strings.Contains(waited, "reading the reports") {
		t.Errorf("%v: %q", err, out)
	}
}
