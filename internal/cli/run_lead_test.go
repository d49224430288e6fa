package cli

import (
	"bytes"
	"testing"
	"time"

	"github.com/breadcrumb/action/trial"
)

func TestATrialTellsWhatItDidNotTry(t *testing.T) {
	const over = "breadcrumb: the trial's time of 1m0s was over before all its runs were made: raise --trial-time\n"
	for want, done := range map[string]trial.Result{
		"": {},
		over + "breadcrumb: 2 edits were not tried\n":                {Left: 2, Over: true},
		over + "breadcrumb: 1 of 3 edits proven\n":                   {Edits: 3, Proven: 1, Over: true}, // some controls did not run
		"breadcrumb: 99 of 100 edits proven, 1 edit was not tried\n": {Edits: 100, Proven: 99, Left: 1},
		"breadcrumb: 1 of 1 edit proven\n":                           {Edits: 1, Proven: 1},
	} {
		var said bytes.Buffer
		r := testRun{streams: Streams{Err: &said}, trialTime: time.Minute}
		r.tellTrials(nil, done)
		if said.String() != want {
			t.Errorf("%+v: said %q, want %q", done, said.String(), want)
		}
	}
}
