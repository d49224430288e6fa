package attach

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/gofrs/flock"

	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/proxy"
)

// nodeName is the name of node's program.
func nodeName() string {
	if runtime.GOOS == "windows" {
		return "node.exe"
	}
	return "node"
}

// standIn returns the path of the stand-in for node.
func (s *Session) standIn() string { return filepath.Join(s.folder, nodeName()) }

// IsStandIn reports whether this process was started in the place of node, by a binding of
// Playwright under a command that is led. args are the process's, its name first.
func IsStandIn(args []string, getenv func(string) string) bool {
	if len(args) == 0 || getenv(FolderVariable) == "" {
		return false
	}
	return args[0] == filepath.Join(getenv(FolderVariable), nodeName())
}

// RunStandIn does what node does with the arguments, and leads the browsers of a driver
// through the proxy. It returns the exit code of node.
func RunStandIn(args, environ []string) int {
	folder := lookup(environ, FolderVariable)
	set, err := readSettings(folder)
	if err == nil {
		var d driver
		if d, err = findDriver(args, environ, set); err == nil {
			return d.run(folder)
		}
	}
	fmt.Fprintln(os.Stderr, "breadcrumb:", err)
	return 127
}

func readSettings(folder string) (s settings, err error) {
	content, err := os.ReadFile(filepath.Join(folder, settingsFile))
	if err != nil {
		return s, fmt.Errorf("read the settings of the run: %w", err)
	}
	return s, json.Unmarshal(content, &s)
}

// driver is the process that a binding wanted to start.
type driver struct {
	set     settings
	node    string
	args    []string // behind the name
	environ []string
}

// findDriver finds the real node: the user's own, the one that comes with the binding, or
// the one on the PATH.
func findDriver(args, environ []string, set settings) (driver, error) {
	d := driver{set: set, args: args[1:]}
	d.environ = slices.DeleteFunc(slices.Clone(environ), func(v string) bool { return strings.HasPrefix(v, nodeVariable+"=") })
	if set.Node != "" {
		d.node = set.Node
		d.environ = append(d.environ, nodeVariable+"="+set.Node)
		return d, nil
	}
	if len(d.args) > 0 {
		// Python and Go: beside the package; C#: in a folder of the platform's name.
		top := filepath.Dir(filepath.Dir(d.args[0]))
		bundled, _ := filepath.Glob(filepath.Join(escapeGlob(top), "node", "*", nodeName()))
		for _, name := range append([]string{filepath.Join(top, nodeName())}, bundled...) {
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				d.node = name
				return d, nil
			}
		}
	}
	var err error
	if d.node, err = exec.LookPath(nodeName()); err != nil {
		return d, fmt.Errorf("find the node that runs Playwright's driver: %w; set %s to it", err, nodeVariable)
	}
	return d, nil
}

// escapeGlob returns a pattern that matches a path alone.
func escapeGlob(path string) string {
	if runtime.GOOS == "windows" {
		return path // has no escapes, and few names need one
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// run starts node and returns its exit code.
func (d driver) run(folder string) int {
	var err error
	if len(d.args) > 1 && d.args[1] == "run-driver" {
		err = d.relay(folder)
	} else {
		err = d.passOn()
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return ExitCode(exit.ProcessState)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "breadcrumb: start %s: %v\n", d.node, err)
		return 126
	}
	return 0
}

func (d driver) command() *exec.Cmd {
	cmd := exec.Command(d.node, d.args...) //nolint:noctx,gosec // the node that the binding would start; ends with its client
	cmd.Env, cmd.Stderr = d.environ, os.Stderr
	return cmd
}

// relay starts a driver and stands between it and its client.
func (d driver) relay(folder string) error {
	cmd := d.command()
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	release := d.holdLock(folder)
	defer release()
	pass, stop := HoldSignals()
	defer stop()
	if err := cmd.Start(); err != nil {
		return err
	}
	pass(cmd.Process)
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	// File names are relative to where the run was started, which all its processes share.
	if err := os.Chdir(d.set.Folder); err != nil {
		log.Warn("run", slog.Any("err", err))
	}
	whose := &tests{file: filepath.Join(folder, testsFolder, strconv.Itoa(os.Getppid())+".json"), root: d.set.Folder}
	_ = proxy.Relay(context.Background(), proxy.NewPipe(os.Stdin, os.Stdout), proxy.NewPipe(out, in), proxy.Options{
		Live:   live.Options{Heal: d.set.Heal, DB: d.set.DB, Events: d.set.Events, Pictures: d.set.Pictures},
		Trial:  d.set.Trial.options(folder),
		TestOf: whose.testOf, Log: log,
	}) // whoever ended the connection knows why
	return cmd.Wait()
}

// holdLock shows the run that this process has something to save, until it is released.
func (d driver) holdLock(folder string) (release func()) {
	lock := flock.New(filepath.Join(folder, standInsFolder, strconv.Itoa(os.Getpid())))
	if held, err := lock.TryLock(); err != nil || !held {
		return func() {}
	}
	return func() { _ = lock.Close() }
}

// HoldSignals holds the signals that this process gets for another one, from before that
// starts, so that none is lost between: pass passes them on to it until stop is called,
// except for those that the terminal sends to both.
func HoldSignals() (pass func(to *os.Process), stop func()) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, passed...)
	done := make(chan struct{})
	pass = func(to *os.Process) {
		go func() {
			for {
				select {
				case <-done:
					return
				case got := <-signals:
					if !sentByTerminal(got) {
						_ = to.Signal(got) // it may have ended by now
					}
				}
			}
		}()
	}
	return pass, func() {
		signal.Stop(signals)
		close(done)
	}
}
