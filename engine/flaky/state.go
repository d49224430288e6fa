package flaky

import (
	"cmp"
	"math"
)

const (
	evidenceWindow = 300  // executions that evidence lasts
	rateDecay      = 0.99 // of what the red rate remembers, for each execution
	redEpisode     = 3    // reds in a row that count as flakiness, not as breakage
)

// state is what a Tracker remembers of a test that failed at least once.
type state struct {
	executions int // that count
	pieces     []Evidence
	branches   map[track]*branch // while red or waiting
	entered    int               // execution of entering quarantine, 0: not in it

	lanes map[string]*lane // by Run.Lane, while red
	reds  float64          // decayed sum of reds that went away
	seen  float64          // decayed number of executions
}

func newState() *state { return &state{branches: map[track]*branch{}, lanes: map[string]*lane{}} }

// lane is how a test fails in one lane, whoever testifies.
type lane struct {
	streak int // runs in a row in which it failed for good
	red    int // reds since it was green
}

// track is where one run follows upon another: a witness in one lane.
type track struct{ witness, lane string }

func (r Run) track() track { return track{r.Source, r.Variant} }

// branch is a test's recent past on one track.
type branch struct {
	commit  string    // of the last failure
	failed  bool      // the last run on that commit failed for good
	crowd   bool      // and so did many others
	streak  int       // commits in a row that failed for good
	pending *Evidence // a lone red that waits for the next run
	errors  []string  // signatures on commit
	place   string    // of the last failure
}

func (s *state) branch(t track) *branch {
	b := s.branches[t]
	if b == nil {
		b = &branch{}
		s.branches[t] = b
	}
	return b
}

func (s *state) lane(name string) *lane {
	in := s.lanes[name]
	if in == nil {
		in = &lane{}
		s.lanes[name] = in
	}
	return in
}

// add takes p in, or strengthens the piece that its commit gave before.
func (s *state) add(p Evidence) {
	for i, have := range s.pieces {
		if have.Commit == p.Commit && p.Commit != "" {
			s.pieces[i].Kind = max(have.Kind, p.Kind)
			s.pieces[i].Signatures = union(have.Signatures, p.Signatures)
			s.pieces[i].Place = cmp.Or(p.Place, have.Place)
			return
		}
	}
	p.At = s.executions
	s.pieces = append(s.pieces, p)
}

// expire drops the pieces that are older than the window.
func (s *state) expire() {
	n := 0
	for n < len(s.pieces) && s.pieces[n].At < s.executions-evidenceWindow {
		n++
	}
	s.pieces = s.pieces[n:]
}

// fresh reports whether the latest execution brought evidence.
func (s *state) fresh() bool { return s.clean() == 0 && len(s.pieces) > 0 }

// clean returns the executions since the last evidence, or since entering.
func (s *state) clean() int {
	last := s.entered
	if n := len(s.pieces); n > 0 {
		last = s.pieces[n-1].At
	}
	return s.executions - last
}

// rate estimates how often the test gives evidence, a ratio in (0,1): the
// pieces over the executions, drawn towards 1 % by 20 executions of prior.
func (s *state) rate() float64 {
	return (float64(len(s.pieces)) + .2) / (float64(min(s.executions, evidenceWindow)) + 20)
}

// redRate estimates how often the first attempt fails, a ratio in (0,1). Reds
// count once they went away, and no more than 3 in a row: a regression does
// not make the test more flaky.
func (s *state) redRate() float64 {
	return math.Max(s.rate(), (s.reds+.1)/(s.seen+5))
}

// turnRed notes a failure at the first attempt.
func (s *state) turnRed(lane string) {
	s.decay()
	s.lane(lane).red++
}

// turnGreen notes an execution that passed in the end.
func (s *state) turnGreen(lane string) {
	s.decay()
	if in := s.lanes[lane]; in != nil {
		s.reds += float64(min(in.red, redEpisode))
		delete(s.lanes, lane)
	}
}

func (s *state) decay() {
	s.seen = s.seen*rateDecay + 1
	s.reds *= rateDecay
}

// idle reports whether nothing is left to remember.
func (s *state) idle() bool {
	return len(s.pieces) == 0 && len(s.branches) == 0 && s.entered == 0 && len(s.lanes) == 0
}

// maxErrors bounds the signatures kept of one piece.
const maxErrors = 8

func union(have, more []string) []string {
	out := have[:len(have):len(have)]
	for _, m := range more {
		if len(out) < maxErrors && !contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

func contains(list []string, s string) bool {
	for _, have := range list {
		if have == s {
			return true
		}
	}
	return false
}
