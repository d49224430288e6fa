package flaky

// Kind is what a piece of evidence rests on.
type Kind uint8

// The kinds of evidence, weakest first.
const (
	// KindLonePull is a lone red on a pull request, gone at its next push: its
	// author may simply have mended it.
	KindLonePull Kind = iota
	// KindLoneMain is a lone red on the default branch, gone at its next run.
	KindLoneMain
	// KindSameCommit is a failure and a pass on one commit, by a retry or a
	// rerun: the code cannot be the difference.
	KindSameCommit
)

// points is the weight of each kind.
var points = [...]int{KindLonePull: 1, KindLoneMain: 2, KindSameCommit: 3}

// Evidence is one piece of evidence that a test is flaky. A commit gives at most
// one.
type Evidence struct {
	Kind       Kind
	Commit     string
	Source     string   // "" for the default branch, see Run
	Signatures []string // of the failures, see Signature
	Place      string   // "file:line" of the failure, "" when unknown
	At         int      // execution of the test that it was found in
}

// Points returns the weight of the evidence: 1 to 3.
func (e Evidence) Points() int { return points[e.Kind] }

// weighEvidence returns the points and the number of pieces of evidence that count, those
// of one source left out. The default branch brings as many as it has; a pull
// request is one source and brings one, its strongest, however often it ran.
func weighEvidence(evidence []Evidence, without string) (sum, count int) {
	best := map[string]int{}
	for _, e := range evidence {
		switch {
		case e.Source == "":
			sum, count = sum+e.Points(), count+1
		case e.Source != without:
			best[e.Source] = max(best[e.Source], e.Points())
		}
	}
	for _, most := range best {
		sum += most
	}
	return sum, count + len(best)
}
