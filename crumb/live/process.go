package live

import (
	"slices"
	"strings"
	"sync"

	"github.com/breadcrumb/action/crumb/live/internal/record"
	"github.com/breadcrumb/action/engine"
)

// process is what all tests of a process share: a file is written by one of
// them at a time, and Summary tells of all of them.
var process = &shared{tests: map[testKey]*Test{}, recorders: map[record.Files]*record.Recorder{}, ahead: map[record.Files]map[string]*aheadPage{}}

// Bounds of what Summary can tell.
const (
	maxEvents   = 10_000
	maxTroubles = 50
)

type shared struct {
	mu        sync.Mutex
	tests     map[testKey]*Test
	recorders map[record.Files]*record.Recorder
	heals     memory
	ahead     map[record.Files]map[string]*aheadPage // that were looked at, by engine.PageName
	events    []engine.HealEvent
	more      int // events beyond maxEvents
	troubles  []string
}

// testKey tells tests apart.
type testKey struct {
	record.Files
	events, id string
	timeout    error
}

// noteTrouble keeps what could not be saved or learned, once.
func (s *shared) noteTrouble(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.troubles) < maxTroubles && !slices.Contains(s.troubles, text) {
		s.troubles = append(s.troubles, text)
	}
}

// warn notes what went wrong beside the test.
func (t *Test) warn(err error) {
	t.options.Log.Warn("crumb", "err", err)
	process.noteTrouble(strings.TrimSpace(err.Error()))
}

// forgetTrouble takes back what was noted and is mended.
func (s *shared) forgetTrouble(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.troubles = slices.DeleteFunc(s.troubles, func(t string) bool { return t == text })
}
