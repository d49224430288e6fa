package organisation

import (
	"slices"
	"time"
)

// isForgotten reports whether a run saved under its workflow's former name, or under a name
// of the default branch before the former one, so late that nobody looks there any more. A
// name that was gone when the run saved is followed until the next rename: what it saved may
// not have been read by then, as another branch's it is read where it is listed, and only
// the snapshots of a day may hold it. Nor does anybody look for what no run took in before
// that, or before GitHub let it go.
func (o *organisation) isForgotten(r, by *record) bool {
	if o.setting.place != placeArtifact {
		return false
	}
	w, twoNamesAgo := r.run.workflow, o.mainNames > r.run.mainNames+1
	isExpired := by.began.Sub(r.began) > artifactDays*24*time.Hour
	return twoNamesAgo && r.renames > r.run.mainNames ||
		(twoNamesAgo || isExpired) && !o.wasTakenIn(r) ||
		w == by.run.workflow && r.run.names < by.run.names && !r.began.Before(w.renamed[by.run.names-1].AddDate(0, 0, followedDays))
}

// artifactDays is for how long GitHub keeps an artifact.
const artifactDays = 90

// wasTakenIn reports whether a run that read all there was came while what a run saved could
// be found: before that each says that there is more to read.
func (o *organisation) wasTakenIn(r *record) bool {
	if r.takenIn {
		return true
	}
	r.takenIn = slices.ContainsFunc(o.model.records[r.before+1:], func(x *record) bool {
		return x.known > r.before && x.run.trusted() && x.run.workflow == r.run.workflow && x.renames <= r.run.mainNames+1 &&
			x.began.Sub(r.began) < artifactDays*24*time.Hour && !o.toldOfGap(x)
	})
	return r.takenIn
}

// followedDays is for how long after a rename, at the least, what a run saves under the
// former name counts as the default branch's.
const followedDays = 6

// isFollowed reports whether a run's name of the default branch is the present one, or
// the one before and it saved soon enough. Of a name that went before any run of the
// workflow saved a snapshot under it nobody knows.
func (o *organisation) isFollowed(r *record) bool {
	if r.run.mainNames == o.mainNames {
		return true
	}
	if r.run.mainNames != o.mainNames-1 || !r.began.Before(o.renamed.AddDate(0, 0, followedDays)) {
		return false
	}
	for _, other := range slices.Backward(o.model.records) { // it began not long ago
		if other.run.workflow == r.run.workflow && other.run.trusted() && other.run.mainNames == r.run.mainNames && other.began.Before(o.renamed) {
			return true
		}
	}
	return false
}

func (o *organisation) isTooOld(r, by *record) bool {
	days := o.setting.keepDays
	return days > 0 && by.began.Sub(r.run.created) > time.Duration(days-1)*24*time.Hour
}
