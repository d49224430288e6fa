package delta

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// runOf returns the records of a run with n results.
func runOf(number, n int) (records []Record, key Key) {
	key = Key{RepositoryID: 7, RunID: int64(number), RunAttempt: 1}
	payload := make([]byte, 32)
	id := key.ID(payload)
	for i := range n {
		records = append(records, &Result{Run: id, Test: fmt.Sprint("test ", i), Attempt: 1, Status: "passed"})
	}
	return append(records, &Heal{Kind: KindHeal, Digest: payload, Run: id, Test: "a", Locator: "#x"}, &Run{Key: key, Payload: payload, Results: n}), key
}

// TestWhatFitsIsWholeRunsAndWhatPeopleDecided: a run with half of its results would look
// as if the others had not run.
func TestWhatFitsIsWholeRunsAndWhatPeopleDecided(t *testing.T) {
	t.Parallel()
	d := &Delta{}
	earlier, _ := runOf(1, 5)
	own, key := runOf(2, 5)
	d.Run = &key
	d.Records = append(append(append(d.Records, &Fingerprint{Test: "a", Locator: "#x", JSON: "{}"}), earlier...), own...)
	d.Records = append(d.Records, &Change{Action: "add", Test: "a", Who: "ada"}, &Heal{Kind: KindHeal, Digest: make([]byte, 32), Test: "a", Locator: "#y"})
	type fits struct{ Changes, Runs, Own, Results, Heals, Fingerprints, Left int }
	count := func(body, records int) (got fits) {
		part, left := d.fit(body, records)
		got.Left = left
		for _, r := range part.Records {
			switch r := r.(type) {
			case *Change:
				got.Changes++
			case *Run:
				got.Runs++
				if r.Key == key {
					got.Own++
				}
			case *Result:
				got.Results++
			case *Heal:
				got.Heals++
			case *Fingerprint:
				got.Fingerprints++
			}
		}
		return got
	}
	for name, c := range map[string]struct {
		body, records int
		want          fits
	}{
		"all":                  {1 << 20, 100, fits{1, 2, 1, 10, 3, 1, 0}},
		"one run by number":    {1 << 20, 9, fits{1, 1, 1, 5, 1, 1, 8}},
		"no run":               {1 << 20, 3, fits{1, 0, 0, 0, 1, 1, 14}},
		"no run by size":       {400, 100, fits{1, 0, 0, 0, 1, 1, 14}},
		"nothing":              {10, 100, fits{Left: 17}},
		"one run and no other": {1 << 20, 8, fits{1, 1, 1, 5, 1, 0, 9}},
	} {
		if diff := cmp.Diff(c.want, count(c.body, c.records)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	part, _ := d.fit(1<<20, 9)
	if _, _, err := part.Body(); err != nil || part.Run != d.Run {
		t.Error(err)
	}
}
