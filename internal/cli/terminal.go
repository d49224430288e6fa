package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/report"
)

// defaultWidth is used where the output is no terminal.
const defaultWidth = 80

// consoleOptions uses colour and the full width only on a terminal.
func consoleOptions(w io.Writer) report.ConsoleOptions {
	o := report.ConsoleOptions{Width: defaultWidth}
	f, ok := w.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return o
	}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		o.Width = min(width, 120)
	}
	o.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return o
}

// When the line of a progress appears, and how often it changes.
const (
	progressAfter = time.Second
	progressEvery = 100 * time.Millisecond
)

// progress is one line on a terminal that says what is being done, from a second
// on, and is gone when anything else is written or all is done. Its methods do
// nothing for nil.
type progress struct {
	terminal io.Writer
	width    int // columns

	mu    sync.Mutex
	what  func() string
	since time.Time // of the first thing done
	frame int
	shown bool
	stop  chan struct{}
}

// newProgress returns the progress of a command whose errors go to w, nil where
// that is no terminal or nobody watches it.
func newProgress(w io.Writer, getenv func(string) string) *progress {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || getenv("CI") != "" || getenv("GITHUB_ACTIONS") != "" || getenv("TERM") == "dumb" {
		return nil
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		width = defaultWidth
	}
	return &progress{terminal: f, width: width}
}

// doing says what is done from now on.
func (p *progress) doing(format string, args ...any) {
	if p == nil {
		return
	}
	text := fmt.Sprintf(format, args...)
	p.counting(func() string { return text })
}

// counting says what is done from now on, asking for the words each time.
func (p *progress) counting(what func() string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
	if p.stop == nil {
		p.since, p.stop = time.Now(), make(chan struct{})
		go p.run(p.stop)
	}
}

// done clears the line for good.
func (p *progress) done() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop != nil {
		close(p.stop)
		p.stop = nil
	}
	p.clear()
}

func (p *progress) run(stop chan struct{}) {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case now := <-tick.C:
			p.draw(stop, now)
		}
	}
}

var frames = []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")

func (p *progress) draw(stop chan struct{}, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	elapsed := now.Sub(p.since)
	if p.stop != stop || elapsed < progressAfter {
		return
	}
	p.frame = (p.frame + 1) % len(frames)
	seconds := fmt.Sprintf(" %d s", int(elapsed.Seconds()))
	room := p.width - len(seconds) - 3
	if room < 10 {
		return
	}
	fmt.Fprintf(p.terminal, "\r%c %s%s\x1b[K", frames[p.frame], text.Cut(report.Clean(p.what()), room), seconds)
	p.shown = true
}

// clear takes the line away; the caller holds the lock.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.terminal, "\r\x1b[K")
		p.shown = false
	}
}

// over returns w so that the line is out of the way when something is written.
func (p *progress) over(w io.Writer) io.Writer {
	f, ok := w.(*os.File)
	if p == nil || !ok {
		return w
	}
	return screen{f, p}
}

// screen is a terminal, or a file, beside a progress.
type screen struct {
	file *os.File
	p    *progress
}

// Write implements [io.Writer].
func (s screen) Write(text []byte) (int, error) {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	s.p.clear()
	return s.file.Write(text)
}

// Fd returns the file's descriptor, by which terminals are told.
func (s screen) Fd() uintptr { return s.file.Fd() }

// Streams are the process's two outputs.
type Streams struct {
	Out, Err io.Writer

	progress *progress
}
