package native

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fetchers are the ways to fetch the binary, by what a machine has: Alpine's images have
// no curl, slim ones neither, but what runs actions.
func fetchers(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for name, programs := range map[string][]string{"curl": {"curl", "sha256sum"}, "wget": {"wget", "sha256sum"}, "node": {"node"}} {
		if _, err := exec.LookPath(name); err != nil {
			t.Logf("%s is not tried: %v", name, err)
			continue
		}
		found[name] = programs
	}
	return found
}

const asset = "breadcrumb-linux-amd64"

func TestTheScriptFetchesWithWhatIsThere(t *testing.T) {
	for name, programs := range fetchers(t) {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.only(programs...)
			p.release("v1.2.3", asset, fake)
			code, out := p.run(t, "sh")
			if code != 3 || !strings.Contains(out, "could not be fetched from "+p.url+": ") || !strings.Contains(out, "404") || strings.Count(out, "\n") != 1 {
				t.Errorf("not there: exit %d, %q", code, out)
			}
			if p.slept() != "" {
				t.Errorf("not there: it waited %q seconds", p.slept())
			}
			p.assets["/v1.2.3/"+asset] = fake + "# changed"
			if code, out := p.run(t, "sh"); code != 3 || !strings.Contains(out, "it was not run") {
				t.Errorf("another: exit %d, %q", code, out)
			}
			p.assets["/v1.2.3/"+asset] = fake
			if code, out := p.run(t, "sh"); code != 1 || !strings.HasPrefix(out, "ran ci") {
				t.Errorf("exit %d, %q", code, out)
			}
		})
	}
	if busybox, err := exec.LookPath("busybox"); err == nil {
		p := newPlace(t)
		p.only("sha256sum")
		if err := os.Symlink(busybox, filepath.Join(p.dir, "fake", "wget")); err != nil {
			t.Fatal(err)
		}
		p.release("v1.2.3", asset, fake)
		p.assets["/v1.2.3/"+asset] = fake
		if code, out := p.run(t, "sh"); code != 1 || !strings.HasPrefix(out, "ran ci") {
			t.Errorf("BusyBox: exit %d, %q", code, out)
		}
	}
}

// A server that refuses connections is asked again, three times.
func TestTheScriptAsksAgain(t *testing.T) {
	for name, programs := range fetchers(t) {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.only(programs...)
			p.release("v1.2.3", asset, fake)
			p.assets["/v1.2.3/"+asset] = fake
			address := refusingAddress(t)
			p.env["BREADCRUMB_RELEASES"] = "http://" + address
			code, out := p.run(t, "sh")
			if code != 3 || !strings.Contains(out, "::error title=Breadcrumb::"+asset+" of v1.2.3 could not be fetched") || !strings.Contains(strings.ToLower(out), "refused") && !strings.Contains(out, "connect to server") {
				t.Errorf("exit %d, %q", code, out)
			}
			if p.slept() != "1 2 3 " {
				t.Errorf("it waited %q seconds", p.slept())
			}

			// The server is there when the script has waited the second time.
			for _, name := range []string{"waits", "goes on"} {
				if err := exec.Command("mkfifo", filepath.Join(p.dir, name)).Run(); err != nil {
					t.Fatal(err)
				}
			}
			write(t, filepath.Join(p.dir, "fake", "sleep"), "#!/bin/sh\n[ $1 != 2 ] || { echo >'"+p.dir+"/waits'; read line <'"+p.dir+"/goes on'; }\n")
			go func() {
				if _, err := os.ReadFile(filepath.Join(p.dir, "waits")); err != nil {
					t.Error(err)
				}
				listener, err := net.Listen("tcp", address)
				if err != nil {
					t.Error(err)
				} else {
					server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(fake)) }))
					server.Listener = listener
					server.Start()
					t.Cleanup(server.Close)
				}
				write(t, filepath.Join(p.dir, "goes on"), "\n")
			}()
			if code, out := p.run(t, "sh"); code != 1 || !strings.HasPrefix(out, "ran ci") {
				t.Errorf("exit %d, %q", code, out)
			}
		})
	}
}

// RUNNER_TEMP may be missing, or mounted so that no program runs there.
func TestTheScriptFindsAPlaceToRun(t *testing.T) {
	const mounts = `for place in $NOEXEC; do mkdir -p "$place"; mount -t tmpfs -o noexec none "$place" || exit 77; done; exec sh "$@"`
	noexec := []string{"unshare", "--mount", "sh", "-c", mounts, "sh"}
	for name, c := range map[string]struct {
		env   map[string]string
		shell []string
		code  int
	}{
		"no RUNNER_TEMP":        {map[string]string{"RUNNER_TEMP": ""}, []string{"sh"}, 1},
		"a missing one":         {map[string]string{"RUNNER_TEMP": "none"}, []string{"sh"}, 1},
		"noexec":                {map[string]string{"RUNNER_TEMP": "a", "NOEXEC": "a"}, noexec, 1},
		"all but home noexec":   {map[string]string{"RUNNER_TEMP": "a", "TMPDIR": "b", "HOME": "home", "NOEXEC": "a b"}, noexec, 1},
		"noexec wherever it is": {map[string]string{"RUNNER_TEMP": "a", "TMPDIR": "b", "NOEXEC": "a b"}, noexec, 3},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.release("v1.2.3", asset, fake)
			p.assets["/v1.2.3/"+asset] = fake
			for _, dir := range []string{"temp", "home"} {
				if err := os.Mkdir(filepath.Join(p.dir, dir), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			p.env["TMPDIR"] = filepath.Join(p.dir, "temp")
			for k, v := range c.env {
				var places []string
				for place := range strings.FieldsSeq(v) {
					places = append(places, filepath.Join(p.dir, place))
				}
				p.env[k] = strings.Join(places, " ")
			}
			if c.shell[0] == "unshare" && exec.Command("unshare", "--mount", "true").Run() != nil {
				t.Skip("nothing may be mounted here")
			}
			code, out := p.run(t, c.shell...)
			if code == 77 {
				t.Skip("nothing may be mounted here:", out)
			}
			if code != c.code || (code == 1) != strings.HasPrefix(out, "ran ci") || code == 3 && !strings.HasPrefix(out, "::error title=Breadcrumb::no folder can be made in which a program runs") {
				t.Errorf("exit %d, %q, want %d", code, out, c.code)
			}
		})
	}
}

// refusingAddress returns an address where nobody listens, at a port that begins as the
// status of what is not there does.
func refusingAddress(t *testing.T) string {
	t.Helper()
	for port := 40400; port < 40500; port++ {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		if err := listener.Close(); err != nil {
			t.Fatal(err)
		}
		return listener.Addr().String()
	}
	t.Fatal("all ports are taken")
	return ""
}
