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

// RememberRename returns the former name of the default branch that a snapshot names which
// is saved so long after the rename was found, with so many deltas left; "" for none.
func RememberRename(after time.Duration, left int) string {
	found := time.Date(2026, 1, 31, 15, 0, 0, 0, time.UTC)
	r := Restored{Left: left, Manifest: Manifest{Former: &Former{Branch: "master", Found: found}}}
	if former := r.rememberRename(found.Add(after)); former != nil {
		return former.Branch
	}
	return ""
}
