// Package attach leads the browsers of a test command through package proxy. Every
// Playwright binding that the command starts finds the way by environment variables:
//
//   - Playwright Test (JavaScript, TypeScript) loads a reporter of ours, which starts the
//     server of the project's own Playwright, asks for an address in front of it, and has
//     the workers connect there.
//   - The bindings for Python, Java, C# and Go start a stand-in for node, which is this
//     program under another name. It starts the real node and passes what both say.
//
// What cannot be led this way runs as without: a variable of the user's own is never
// replaced, and nothing is set before what it leads to is there.
package attach

import (
	"context"
	"crypto/rand"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/breadcrumb/action/crumb/live"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/proxy"
)

// FolderVariable names the folder that the processes of one run share.
const FolderVariable = "BREADCRUMB_RUN"

// Folders within the shared one. Each process of the command writes files of its own.
const (
	hooksFolder    = "hooks"    // what Playwright Test and pytest load, in modulesFolder
	testsFolder    = "tests"    // which test a worker runs
	requestsFolder = "requests" // of Playwright Test for an address, and the answers
	notesFolder    = "notes"    // for the person
	standInsFolder = "standins" // a locked file for each stand-in that still saves
	resultsFolder  = "results"  // how the tests of a process ended
	trialsFolder   = "trials"   // what became of the calls on edited locators
)

// modulesFolder is a name whose files Playwright Test loads as they are. It compiles all
// others first, as if they were tests.
const modulesFolder = "node_modules"

// Times to wait at the end of the command.
const (
	relayTime   = 10 * time.Second // for connections whose client is gone
	standInTime = 20 * time.Second // for stand-ins that save
	lockPause   = 20 * time.Millisecond
)

// Options say how a command is led.
type Options struct {
	Live       live.Options // how elements are learned and healed; the files with whole names
	Trial      *proxy.Trial // tries edited locators instead, nil for none; its Note is not used
	Folder     string       // where the command runs
	Executable string       // of this program, for the stand-in
	Environ    []string     // of the command
	Log        *slog.Logger // is told what goes wrong beside the tests
}

// Session leads one command.
type Session struct {
	options Options
	folder  string
	notes   []string
	server  *server
	stop    context.CancelFunc
	served  sync.WaitGroup
}

//go:embed all:hooks
var hooks embed.FS

// Open makes ready what the command's processes look for. The session is to be closed when
// the command has ended.
func Open(o Options) (*Session, error) {
	folder, err := os.MkdirTemp("", "breadcrumb-run-")
	if err != nil {
		return nil, fmt.Errorf("make the folder of the run: %w", err)
	}
	s := &Session{options: o, folder: folder}
	if err := s.prepare(); err != nil {
		return nil, errors.Join(fmt.Errorf("prepare the run: %w", err), os.RemoveAll(folder))
	}
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	s.server = &server{folder: folder, secret: rand.Text(), reader: "breadcrumb-" + rand.Text()}
	o.Live.OnHeal = func(e engine.HealEvent) {
		if e.Outcome == engine.OutcomeHealed {
			s.server.noteHealed()
		}
	}
	s.server.options = o
	s.served.Go(func() { s.server.answerRequests(ctx) })
	return s, nil
}

// prepare fills the shared folder.
func (s *Session) prepare() error {
	for _, name := range []string{testsFolder, requestsFolder, notesFolder, standInsFolder, resultsFolder, trialsFolder} {
		if err := os.Mkdir(filepath.Join(s.folder, name), 0o700); err != nil {
			return err
		}
	}
	if err := os.CopyFS(filepath.Join(s.folder, modulesFolder), hooks); err != nil {
		return err
	}
	if err := makeStandIn(s.options.Executable, s.standIn()); err != nil {
		return err
	}
	return writeSettings(s.folder, settings{
		Heal: s.options.Live.Heal, DB: s.options.Live.DB, Events: s.options.Live.Events, Pictures: s.options.Live.Pictures,
		Folder: s.options.Folder, Node: lookup(s.options.Environ, nodeVariable), Trial: settingsOf(s.options.Trial),
	})
}

// makeStandIn gives this program another name: by a link, or by a copy where the file
// system has none.
func makeStandIn(executable, name string) error {
	if runtime.GOOS != "windows" { // where links need a right that few have
		return os.Symlink(executable, name)
	}
	if os.Link(executable, name) == nil {
		return nil
	}
	from, err := os.Open(executable)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700) //nolint:gosec // is to be executable
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}

// settings are what stand-ins are told of the run.
type settings struct {
	Heal     string `json:"heal"`
	DB       string `json:"db"`
	Events   string `json:"events"`
	Pictures string `json:"pictures"`
	Folder   string `json:"folder"` // where the run was started, which file names are relative to
	Node     string `json:"node"`   // that the user has named, "" for none
	Trial    *trial `json:"trial"`  // null for none
}

const settingsFile = "settings.json"

func writeSettings(folder string, s settings) error {
	content, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, settingsFile), content, 0o600)
}

// Result is what a session came to.
type Result struct {
	Connections int      // of browsers that were led through the proxy
	Notes       []string // for the person, a sentence each
	Tests       []Test   // as Playwright Test and pytest tell how they ended, each attempt, those of a worker in their order
	Held        []Test   // did not run because another one failed, as Playwright Test tells
	Noted       []Noted  // of a trial
}

// Close waits until everything that was learned is saved, and removes the shared folder.
// The command has to have ended.
func (s *Session) Close() Result {
	s.server.close(relayTime)
	standIns := s.awaitStandIns(standInTime)
	s.stop()
	s.served.Wait()
	r := Result{Connections: s.server.connections() + standIns, Notes: append(s.notes, s.readNotes()...),
		Noted: readNoted(s.folder)}
	r.Tests, r.Held = readResults(filepath.Join(s.folder, resultsFolder))
	if err := os.RemoveAll(s.folder); err != nil {
		r.Notes = append(r.Notes, "the folder of the run is still there: "+err.Error())
	}
	return r
}

// awaitStandIns waits until the stand-ins have saved what they learned and returns how
// many there were. One that was killed holds no lock.
func (s *Session) awaitStandIns(limit time.Duration) int {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	files, _ := filepath.Glob(filepath.Join(s.folder, standInsFolder, "*"))
	for _, name := range files {
		lock := flock.New(name)
		if held, err := lock.TryLockContext(ctx, lockPause); !held {
			s.notes = append(s.notes, fmt.Sprintf("a driver of Playwright still runs, and what it learned may be missing: %v", err))
			break
		}
		_ = lock.Close()
	}
	return len(files)
}

// Bounds of what processes of the command say to the person.
const (
	maxNotes     = 20
	maxNoteRunes = 300
)

// readNotes returns what processes of the command say to the person, each sentence once.
func (s *Session) readNotes() (notes []string) {
	folder := os.DirFS(filepath.Join(s.folder, notesFolder))
	files, _ := fs.ReadDir(folder, ".")
	for _, f := range files[:min(len(files), maxNotes)] {
		content, err := fs.ReadFile(folder, f.Name())
		if note := text.Cut(strings.TrimSpace(string(content)), maxNoteRunes); err == nil && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	return notes
}

// note says something to the person at the end of the run.
func (s *Session) note(format string, args ...any) {
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

// lookup returns the last value of a variable in an environment, "" for none.
func lookup(environ []string, name string) string {
	for _, variable := range slices.Backward(environ) {
		if n, value, _ := strings.Cut(variable, "="); n == name {
			return value
		}
	}
	return ""
}

// Bounds of what processes tell of tests and calls.
const (
	maxResultBytes = 64 << 20 // of one process
	maxResults     = 100_000
)

// readResults returns the attempts that the processes of a run told of, and the tests that
// they held back.
func readResults(folder string) (tests, held []Test) {
	files, _ := filepath.Glob(filepath.Join(escapeGlob(folder), "*.ndjson"))
	for _, name := range files {
		content, err := readStart(name, maxResultBytes)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(content)) {
			var e ended
			if json.Unmarshal([]byte(line), &e) != nil || len(tests)+len(held) == maxResults {
				continue
			}
			test := Test{ID: e.id(), Runner: e.Runner, Path: e.Path, Line: e.Line, Passed: e.Passed, Failed: e.Failed, Took: time.Duration(e.Took) * time.Millisecond,
				Process: filepath.Base(name), Worker: e.Worker, Project: e.Project, Titles: e.Titles, Timeout: time.Duration(e.Timeout) * time.Millisecond, Node: e.Node, names: e.names()}
			if e.Held {
				held = append(held, test)
			} else {
				tests = append(tests, test)
			}
		}
	}
	return tests, held
}

// readNoted returns what became of the calls on the targets of a trial.
func readNoted(folder string) (noted []Noted) {
	content, _ := readStart(filepath.Join(folder, trialsFolder, notedFile), maxResultBytes)
	for line := range strings.Lines(string(content)) {
		var n Noted
		if json.Unmarshal([]byte(line), &n) == nil && len(noted) < maxResults {
			noted = append(noted, n)
		}
	}
	return noted
}
