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

// defaultWidth is the width in columns where the output does not tell its own.
const defaultWidth = 80

// consoleOptions returns colour and the full width only for a terminal.
func consoleOptions(w io.Writer) report.ConsoleOptions {
	width, is := terminalWidth(w)
	return report.ConsoleOptions{Width: min(width, 120), Color: is && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// terminalWidth returns the columns of a terminal, and whether w is one.
func terminalWidth(w io.Writer) (width int, is bool) {
	f, ok := w.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return defaultWidth, false
	}
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		return width, true
	}
	return defaultWidth, true
}

// The progress line appears after progressAfter and changes every progressEvery.
const (
	progressAfter = time.Second
	progressEvery = 100 * time.Millisecond
)

// progress shows one line on a terminal that says what is being done. It appears
// after a second and disappears when anything else is written or all is done. All
// methods do nothing on nil.
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

// show sets the text of the line.
func (p *progress) show(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	p.showEach(func() string { return text })
}

// showEach sets a function that returns the text each time the line is drawn.
func (p *progress) showEach(what func() string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
	if p.stop == nil {
		p.since, p.stop = time.Now(), make(chan struct{})
		go p.redrawUntil(p.stop)
	}
}

// close removes the line for good.
func (p *progress) close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stop != nil {
		close(p.stop)
		p.stop = nil
	}
	p.clearLine()
}

func (p *progress) redrawUntil(stop chan struct{}) {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case now := <-tick.C:
			p.drawLine(stop, now)
		}
	}
}

var frames = []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")

func (p *progress) drawLine(stop chan struct{}, now time.Time) {
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
	fmt.Fprintf(p.terminal, "\r%c %s%s\x1b[K", frames[p.frame], text.Cut(report.LogLine(p.what()), room), seconds)
	p.shown = true
}

// clearLine removes the line; the caller holds the lock.
func (p *progress) clearLine() {
	if p.shown {
		fmt.Fprint(p.terminal, "\r\x1b[K")
		p.shown = false
	}
}

// wrapOutput returns a writer to w that removes the line before it writes.
func (p *progress) wrapOutput(w io.Writer) io.Writer {
	f, ok := w.(*os.File)
	if p == nil || !ok {
		return w
	}
	return screen{f, p}
}

// screen is an output that shares the terminal with the progress line.
type screen struct {
	file *os.File
	p    *progress
}

// Write implements [io.Writer].
func (s screen) Write(text []byte) (int, error) {
	s.p.mu.Lock()
	defer s.p.mu.Unlock()
	s.p.clearLine()
	return s.file.Write(text)
}

// Fd returns the file's descriptor, by which callers recognise a terminal.
func (s screen) Fd() uintptr { return s.file.Fd() }

// Streams are the process's input and its two outputs.
type Streams struct {
	In       io.Reader // nil: nobody is there to answer
	Out, Err io.Writer

	progress *progress
}
