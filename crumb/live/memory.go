package live

import (
	"slices"
	"sync"

	"github.com/breadcrumb/action/crumb/live/internal/record"
	"github.com/breadcrumb/action/engine"
)

// memory is what the tests of this process healed, so that the next test need not wait
// for the same locator on the same page. It holds the last maxMemory heals.
type memory struct {
	mu    sync.Mutex
	heals map[memoryKey][]remembered
	order []memoryKey // one for each heal, the oldest first
}

const maxMemory = 1000

// memoryKey is a locator of a suite, whichever its tests.
type memoryKey struct {
	record.Files
	locator string
}

// remembered is the element that a locator was healed to.
type remembered struct {
	page      string // address of the page where that was first
	selector  string // finds the element alone in its frame
	signature string // of the element
	pictures  *engine.Pictures
}

// add remembers a heal in the place of an earlier one on the same page.
func (m *memory) add(k memoryKey, r remembered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.heals == nil {
		m.heals = map[memoryKey][]remembered{}
	}
	for i, known := range m.heals[k] {
		if known.page == r.page {
			m.heals[k][i] = r
			return
		}
	}
	m.heals[k] = append(m.heals[k], r)
	if m.order = append(m.order, k); len(m.order) > maxMemory {
		oldest := m.order[0]
		m.order = m.order[1:]
		if m.heals[oldest] = slices.Delete(m.heals[oldest], 0, 1); len(m.heals[oldest]) == 0 {
			delete(m.heals, oldest)
		}
	}
}

// find returns what a locator was healed to on the page of an address, or on one of its
// name: the last such heal. On a page without an address nothing is known. The page is
// asked for its address only where that can matter.
func (m *memory) find(k memoryKey, askAddress func() string) (remembered, bool) {
	m.mu.Lock()
	list := slices.Clone(m.heals[k])
	m.mu.Unlock()
	if len(list) == 0 {
		return remembered{}, false
	}
	address := askAddress()
	for _, r := range slices.Backward(list) {
		if address != "" && r.page != "" && engine.SamePage(engine.PageName(r.page), address) {
			return r, true
		}
	}
	return remembered{}, false
}
