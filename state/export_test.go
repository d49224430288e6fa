package state

import "time"

// Lives returns how long the snapshots are kept that are saved at some times, one made
// from the other; 0 is as long as anything.
func Lives(saved []time.Time) []time.Duration {
	var m Manifest
	lives := make([]time.Duration, len(saved))
	for i, at := range saved {
		lives[i] = m.chooseLife(at)
	}
	return lives
}
