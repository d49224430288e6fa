package storetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
)

// pushes returns the runs of commits of the default branch, pull requests and merge
// groups in the order of time: each commit in some legs, some of them in two shards,
// some run again, and one leg in a burst now and then.
func pushes(random *rand.Rand, commits int) []store.Run {
	var runs []store.Run
	for commit := range commits {
		at := time.Unix(1_700_000_000, 0).Add(time.Duration(commit) * 12 * time.Hour)
		info := engine.RunInfo{RepositoryID: 7, RunID: int64(100 + commit), Workflow: "ci.yml", Job: "e2e",
			Commit: fmt.Sprintf("%040x", commit), StartedAt: at}
		switch random.IntN(5) {
		case 0, 1:
			info.PullRequest = 1 + random.IntN(4)
		case 2:
			info.MergeGroup = []int{1 + random.IntN(2), 3}
		default:
			info.DefaultBranch = true
		}
		for leg := range 1 + random.IntN(3) {
			burst := random.IntN(12) == 0
			for attempt := range 1 + random.IntN(4)/3 {
				info.Leg, info.RunAttempt = fmt.Sprint("leg ", leg), attempt+1
				runs = append(runs, shards(random, info, burst)...)
			}
		}
	}
	return runs
}

// shards returns the runs of a leg, each of which has a part of its tests.
func shards(random *rand.Rand, info engine.RunInfo, burst bool) []store.Run {
	runs := make([]store.Run, 1+random.IntN(3)/2)
	for i := range runs {
		runs[i] = store.Run{Info: info, Now: info.StartedAt, ReportDigest: fmt.Sprint(info.Commit, info.Leg, info.RunAttempt, i)}
		if len(runs) > 1 {
			runs[i].Info.Leg += fmt.Sprint(" shard ", i)
		}
	}
	for test := range 12 {
		failed := engine.Attempt{Status: engine.StatusFailed, Message: fmt.Sprintf("Error: %c", 'a'+rune(random.IntN(2)))}
		attempts := []engine.Attempt{{Status: engine.StatusPassed}}
		switch n := random.IntN(4 + test); {
		case n == 0 || burst:
			attempts = []engine.Attempt{failed}
		case n == 1:
			attempts = append([]engine.Attempt{failed}, attempts...)
		}
		r := &runs[test%len(runs)]
		r.Results = append(r.Results, engine.TestResult{ID: engine.TestID(fmt.Sprintf("t%02d", test)), Attempts: attempts})
	}
	return runs
}

// CompareArrivals records the same runs in several orders, with checkpoints saved at
// other places each time, and compares what the judges know in the end.
func CompareArrivals(t *testing.T, seed uint64, open func() Database) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 11))
	runs := pushes(random, 30)
	var want []byte
	for order := range 4 {
		db := open()
		for _, i := range arrivals(random, len(runs), order) {
			recorded := Record(t, db, runs[i])
			if random.IntN(3) > 0 {
				ObserveAll(t, db, recorded.RunID)
			}
		}
		h := ObserveAll(t, db, 0)
		if err := db.NameTests(t.Context(), &h.Evidence, h.Judge.Known()); err != nil {
			t.Fatal(err)
		}
		got := h.Judge.Encode(func(test int) int64 { return nameNumber(t, h.Tests[test]) })
		if order == 0 {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: in order %d of arrival the judge knows something else", seed, order)
		}
	}
}

func nameNumber(t *testing.T, name engine.TestID) (n int64) {
	t.Helper()
	if _, err := fmt.Sscanf(string(name), "t%d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// arrivals returns the order in which runs arrive: that of time, nearly that, or any.
func arrivals(random *rand.Rand, runs, order int) []int {
	places, late := make([]int, runs), make([]int, runs)
	for i := range places {
		places[i] = i
		switch order {
		case 1, 2:
			late[i] = i + random.IntN(8*order)
		case 3:
			late[i] = random.IntN(runs)
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(late[a], late[b]) })
	return places
}
