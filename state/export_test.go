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

// RememberRename returns the former names of the default branch that a snapshot remembers
// which is saved so long after an earlier run found that it was "master", with so many
// deltas left, by a run that found out the names in found.
func RememberRename(after time.Duration, left int, found Former) []string {
	then := time.Date(2026, 1, 31, 15, 0, 0, 0, time.UTC)
	r := Restored{Left: left, Former: found, Manifest: Manifest{Former: &Former{Branch: "master", Found: then}}}
	if former := r.rememberRename(then.Add(after)); former != nil {
		return former.BranchNames()
	}
	return nil
}
