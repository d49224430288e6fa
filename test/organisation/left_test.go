package organisation

import (
	"slices"
	"strings"
	"time"
)

// leavesUnsaid begins the reason of a test that leaves because what is known now may no
// longer show that it is flaky: then it comes back by the same evidence with a little more.
const leavesUnsaid = "it ran clean long enough"

// leavesBroken begins the reason why a test leaves that always fails. Its evidence stays:
// one flake after it is mended brings it back.
const leavesBroken = "it is broken"

// expiryDays is for how long evidence holds a test, as docs/flaky.md says.
const expiryDays = 30

// isForGood reports whether only what a test does after it left in a run brings it back.
func (o *organisation) isForGood(r *record, test, reason string) bool {
	switch {
	case strings.HasPrefix(reason, leavesBroken):
		return false
	case strings.HasPrefix(reason, leavesUnsaid):
		return o.isPastExpiry(r, test)
	}
	return true
}

// isPastExpiry reports whether a test that leaves in a run ran on the default branch when its
// evidence had expired, whatever reason is given, and nothing came late or is forgotten that
// moves the time from which it was held.
func (o *organisation) isPastExpiry(r *record, test string) bool {
	entered := o.model.entered[test]
	if entered == nil || o.cameLate(r, test) || o.isEvidenceForgotten(r, test) {
		return false
	}
	return slices.ContainsFunc(o.commits(test, r, entered.known), func(c *tested) bool {
		return c.first.Sub(entered.run.created) >= expiryDays*24*time.Hour
	})
}
