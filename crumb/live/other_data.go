package live

import (
	"context"
	"slices"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
)

// otherDataTime bounds the look for what was learned with other data.
const otherDataTime = time.Second

// findOtherData returns what earlier runs learned of a locator that holds data which the test
// makes anew in each run: of one at the same place of the test, on the same page, that
// differs in data alone. It is in the words of the lost one.
func (t *Test) findOtherData(s *Subject, k key) (heal.Learned, bool) {
	address := pageAddress(s.Page)
	if address == "" {
		return heal.Learned{}, false
	}
	within, cancel := context.WithTimeout(context.Background(), otherDataTime)
	defer cancel()
	known, _ := t.recorder.OnPage(within, address, func(there []engine.Fingerprint) []engine.Fingerprint {
		return slices.DeleteFunc(slices.Clone(there), func(f engine.Fingerprint) bool { return !t.wasOtherData(f, s, k) })
	})
	if len(known) == 0 { // what cannot be read is not known either; a lost locator says so by itself
		return heal.Learned{}, false
	}
	return known[len(known)-1].WithDataOf(k.locator), true
}

func (t *Test) wasOtherData(f engine.Fingerprint, s *Subject, k key) bool {
	return heal.WasOtherData(f, engine.NewTestID(t.options.TestID), s.Site.relativeTo(t.root), k.locator)
}
