package flaky_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/breadcrumb/action/engine/flaky"
)

func number(test int) int64 { return int64(test) * 3 }

func test(number int64) int {
	if number%3 != 0 {
		return -1
	}
	return int(number / 3)
}

// learned is a judge that has seen a bit of everything.
func learned() *flaky.Judge {
	p := newPlayer()
	p.flake()
	p.run("", many(80, "F")...)
	for i := range 60 {
		p.variant = []string{"", "linux", "windows"}[i%3]
		p.runOn(fmt.Sprint("x", i/2), []string{"", "pr-1", "pr-2", "topic"}[i%4],
			[]string{"1 FP E1", "2 F E2", "3 FFP E3", "4 F E4", "5 FP"}[i%5], []string{"6 F E6", "7 FP E7", "1 F E9"}[i%3])
	}
	return p.judge
}

func TestAnEncodedJudgeIsDecodedAndGoesOn(t *testing.T) {
	judge := learned()
	encoded := judge.Encode(number)
	again, err := flaky.DecodeJudge(encoded, test)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		p := newPlayer()
		p.runs, p.mainRuns, p.variant = 200+i, 100+i, []string{"", "linux", "windows"}[i%3]
		run := p.make(fmt.Sprint("after", i), []string{"", "pr-1", "pr-9"}[i%3], []string{"1 F E1", "2 FP E2", "8 F E8", "4 FF E4"}[i%4])
		for _, o := range run.Observations {
			if a, b := judge.Guard(run, o), again.Guard(run, o); a != b {
				t.Errorf("guard %q, read back %q", a, b)
			}
		}
		judge.Observe(flaky.Commit{run})
		again.Observe(flaky.Commit{run})
		if a, b := string(judge.Encode(number)), string(again.Encode(number)); a != b {
			t.Fatalf("after %d runs they know different things", i+1)
		}
	}
}

// Encoded judges are kept from version to version. When this fails because a rule
// changed what a run teaches, raise encodingVersion and then the sum, or kept judges
// would go on by the old rule.
func TestARuleThatChangesWhatIsLearntNeedsANewVersion(t *testing.T) {
	sum := sha256.Sum256(learned().Encode(number))
	if got, want := hex.EncodeToString(sum[:8]), "5f59c9f6a8a32fb2"; got != want {
		t.Errorf("what a judge learns has the sum %s, want %s", got, want)
	}
}

func FuzzDecodeJudge(f *testing.F) {
	f.Add(learned().Encode(number))
	f.Add(flaky.NewJudge().Encode(number))
	f.Add([]byte{1})
	f.Fuzz(func(t *testing.T, encoded []byte) {
		judge, err := flaky.DecodeJudge(encoded, test)
		if err != nil {
			return
		}
		judge.Observe(flaky.Commit{{Commit: "c", Tests: 3, Observations: []flaky.Observation{{Test: 1, Attempts: statuses("FP"), Signatures: []string{"E"}}}}})
		for _, test := range judge.Known() {
			if facts, ok := judge.Facts(test); ok {
				_ = facts.String()
			}
		}
		if _, err := flaky.DecodeJudge(judge.Encode(number), test); err != nil {
			t.Errorf("what was decoded is not encoded: %v", err)
		}
	})
}
