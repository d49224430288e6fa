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

// Points returns the weight of the piece: 1 to 3.
func (p Evidence) Points() int { return points[p.Kind] }

// weigh returns the points and the number of pieces that count, those of one
// witness left out. The default branch brings as many as it has; a pull request
// is one witness and brings one, its strongest, however often it ran.
func weigh(pieces []Evidence, without string) (sum, count int) {
	best := map[string]int{}
	for _, p := range pieces {
		switch {
		case p.Source == "":
			sum, count = sum+p.Points(), count+1
		case p.Source != without:
			best[p.Source] = max(best[p.Source], p.Points())
		}
	}
	for _, most := range best {
		sum += most
	}
	return sum, count + len(best)
}
