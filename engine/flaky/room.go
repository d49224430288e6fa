package flaky

import "math"

// DefaultShare is the largest share of the suite in quarantine.
const DefaultShare = 0.05

// shareUnit is what shares are counted in, so that 7 % of 100 tests are 7: as binary
// fractions 0.07 and 100 make a little more.
const shareUnit = 1_000_000

// Room returns how many tests of a suite of this size may be in quarantine at once:
// the share, rounded up. share is a ratio in (0,1]; 0 means DefaultShare.
func Room(share float64, suite int) int {
	if !(share > 0 && share <= 1) {
		share = DefaultShare
	}
	return (int(math.Round(share*shareUnit))*suite + shareUnit - 1) / shareUnit
}
