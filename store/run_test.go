package store

import (
	"fmt"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
)

// The database and the engine have one rule for whose run counts.
func TestTheOriginOfATrustedRunCountsForEverybody(t *testing.T) {
	t.Parallel()
	for i := range 16 {
		info := engine.RunInfo{RunID: int64(i & 1), PullRequest: i >> 1 & 1, Fork: i&4 != 0, DefaultBranch: i&8 != 0}
		counts := strings.Contains(TrustedOrigins, fmt.Sprint(int(OriginOf(info))))
		if counts != info.Trusted() {
			t.Errorf("%+v: the database says %v, the engine %v", info, counts, info.Trusted())
		}
	}
}
