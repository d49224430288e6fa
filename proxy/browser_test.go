package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/browsertest"
)

// A test program is also the node that a binding starts, where this names the real one.
const realNode = "BREADCRUMB_TEST_NODE"

func TestMain(m *testing.M) {
	if node := os.Getenv(realNode); node != "" && len(os.Args) > 2 {
		os.Exit(runShim(node))
	}
	os.Exit(browsertest.Run(m))
}

// runShim is what stands in for a binding's node.
func runShim(node string) int {
	cmd := exec.Command(node, os.Args[1:]...)
	cmd.Stderr = os.Stderr
	if os.Args[2] != "run-driver" {
		cmd.Stdout = os.Stdout
		return min(1, len(errorText(cmd.Run())))
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return 1
	}
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		return 1
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	relayed := Relay(context.Background(), NewPipe(os.Stdin, os.Stdout), NewPipe(out, in), Options{Log: log})
	ended := cmd.Wait()
	if err := errors.Join(relayed, ended); err != nil {
		log.Error("the relay ended", "relay", relayed, "driver", ended)
		return 1
	}
	return 0
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// driverCommand returns the program and the arguments that start Playwright's driver.
func driverCommand(tb testing.TB) (node string, arguments []string) {
	tb.Helper()
	folder, err := browsertest.Folder()
	must(tb, err)
	cli := filepath.Join(folder, "package", "cli.js")
	if _, err := os.Stat(cli); err != nil {
		browsertest.Missing(tb, err)
	}
	if node, err = exec.LookPath("node"); err != nil {
		browsertest.Missing(tb, err)
	}
	return node, []string{cli, "run-driver"}
}

// startDriver starts Playwright's driver, which ends with the test.
func startDriver(tb testing.TB) *Pipe {
	tb.Helper()
	if testing.Short() && !browsertest.Needed() {
		browsertest.Missing(tb, errors.New("short tests have none"))
	}
	node, arguments := driverCommand(tb)
	cmd := exec.Command(node, arguments...)
	in, err := cmd.StdinPipe()
	must(tb, err)
	out, err := cmd.StdoutPipe()
	must(tb, err)
	must(tb, cmd.Start())
	tb.Cleanup(func() { _ = in.Close(); _, _ = io.Copy(io.Discard, out); _ = cmd.Wait() })
	return NewPipe(out, in)
}

// replay makes the calls of a record against a live driver, each when the one before is
// answered. It returns the answers by the number of the call in the record.
func replay(t *testing.T, name string, o Options) map[string]message {
	t.Helper()
	record := readRecord(t, name)
	program, err := browsertest.Chromium()
	if err != nil {
		browsertest.Missing(t, err)
	}
	client, clientSide := ends()
	driver := startDriver(t)
	done := make(chan error, 1)
	go func() { done <- Relay(context.Background(), clientSide, driver, o) }()
	was, is := map[string][]string{}, map[string][]string{} // guids of each kind, as they were made
	answers := map[string]message{}
	for _, r := range record {
		m, ok := readMessage([]byte(r.M))
		if !ok {
			t.Fatal(r.M)
		}
		if r.Dir == "<" {
			if m.string(m.method) == "__create__" {
				was[m.guidOf("type")] = append(was[m.guidOf("type")], m.guidOf("guid"))
			}
			continue
		}
		text := r.M
		for kind, now := range is {
			for i := range min(len(now), len(was[kind])) {
				text = strings.ReplaceAll(text, `"`+was[kind][i]+`"`, `"`+now[i]+`"`)
			}
		}
		if timeout, ok := m.field(m.metadata, "timeout"); ok { // where drivers up to 1.61 do not look for it
			text = strings.Replace(text, `"params": {`, `"params": {"timeout": `+string(timeout.of(m.text))+`, `, 1)
			text = strings.Replace(text, `, }`, `}`, 1)
		}
		if m.string(m.method) == "launch" {
			arguments, err := json.Marshal(browsertest.Arguments)
			must(t, err)
			text = strings.Replace(strings.Replace(text, `["--no-sandbox"]`, string(arguments), 1), "/usr/bin/chromium", program, 1)
		}
		must(t, client.Send([]byte(text)))
		for id := m.id.of(m.text); ; {
			got, ok := readMessage(receive(t, client))
			if !ok {
				t.Fatalf("got %s", got.text)
			}
			if got.string(got.method) == "__create__" {
				is[got.guidOf("type")] = append(is[got.guidOf("type")], got.guidOf("guid"))
			}
			if bytes.Contains(got.text, []byte("breadcrumb-")) {
				t.Errorf("the client sees the proxy's own %s", got.text)
			}
			if bytes.Equal(got.id.of(got.text), id) {
				answers[string(id)] = got
				break
			}
		}
	}
	must(t, client.Close())
	must(t, <-done)
	return answers
}

// What one binding said is learned on the old page and healed on the new one. There the
// label of #user stands beside it only, which is no proof.
func TestRecordedCallsHealAgainstALiveDriver(t *testing.T) {
	for _, c := range []struct {
		binding      string
		healed, lost []string // calls on what the new page renamed
	}{
		{"python-1.62.1", []string{"8", "13", "15"}, []string{"6", "14", "17"}},
		{"java-1.61.1", []string{"8", "12", "14"}, []string{"6", "13"}},
	} {
		t.Run(c.binding, func(t *testing.T) {
			t.Parallel()
			o := Options{Live: quiet(t), Log: slog.New(slog.NewTextHandler(testWriter{t}, nil))}
			o.Live.Heal = "live"
			for id, m := range replay(t, c.binding+"-v1", o) {
				if m.has(m.fault) {
					t.Errorf("call %s on the old page: %s", id, m.text)
				}
			}
			for id, m := range replay(t, c.binding+"-v2", o) {
				if failed := slices.Contains(c.lost, id); failed != m.has(m.fault) || slices.Contains(c.healed, id) && m.has(m.fault) {
					t.Errorf("call %s on the new page: %s", id, m.text)
				}
			}
			told := map[string]bool{}
			for _, e := range readEvents(t, o.Live.Events) {
				if e.Site == nil || e.Site.Line == 0 {
					t.Errorf("no site: %+v", e)
				}
				told[string(e.Outcome)+" "+e.Action+" "+e.Locator] = true
				if e.Pictures == nil { // of a refusal, and where the machine is too busy for one
					continue
				}
				told["a picture"] = true
				if _, err := os.Stat(filepath.Join(filepath.Dir(o.Live.Events), engine.PictureFolder, e.Pictures.Found)); err != nil {
					t.Error(err)
				}
			}
			for _, want := range []string{"healed click #login-btn", "healed textContent #login-btn", "healed waitForSelector #login-btn", "suggested expect #login-btn", "suggested fill #user", "a picture"} {
				if !told[want] {
					t.Errorf("no event %q in %v", want, told)
				}
			}
		})
	}
}

type testWriter struct{ tb testing.TB }

func (w testWriter) Write(text []byte) (int, error) {
	w.tb.Errorf("the proxy says: %s", text)
	return len(text), nil
}

// readEvents returns what a file of heal events holds.
func readEvents(tb testing.TB, path string) []engine.HealEvent {
	tb.Helper()
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	must(tb, err)
	list, notices := engine.ReadHeals(path, bytes.NewReader(text))
	if len(notices) > 0 {
		tb.Fatalf("events that cannot be read: %v", notices)
	}
	return list
}
