package flaky

import (
	"slices"
)

// Kind is what a piece of evidence rests on.
type Kind uint8

// The kinds of evidence, weakest first.
const (
	// KindShared is a failure and a pass on one commit of a test that began to fail
	// together with others: what they share may have failed, and not the test.
	KindShared Kind = iota
	// KindLonePull is a lone red on a pull request, gone at its next push: its
	// author may simply have mended it.
	KindLonePull
	// KindLoneMain is a lone red on the default branch, gone at its next commit.
	KindLoneMain
	// KindSameCommit is a failure and a pass on one commit, by a retry or a
	// rerun: the code cannot be the difference.
	KindSameCommit
)

// points is the weight of each kind.
var points = [...]int{KindShared: 1, KindLonePull: 1, KindLoneMain: 2, KindSameCommit: 3}

// Evidence is one piece of evidence that a test is flaky. A commit gives at most
// one, however many of its legs flaked.
type Evidence struct {
	Kind       Kind
	Commit     string
	Sources    []string // none for the default branch, see Run
	DependsOn  []string // pull requests without whose runs it might be none, at most 32
	Variants   []string // in which it flaked, at most 32
	Signatures []string // of the failures, see Signature
	Place      string   // "file:line" of the failure, "" when unknown
	At         int      // execution of the test that it was found in
}

// maxDependsOn bounds the pull requests that one piece of evidence needs.
const maxDependsOn = 32

// mergeDependsOn returns both, sorted, so that the order in which runs arrive changes nothing.
func mergeDependsOn(a, b []string) []string {
	all := mergeSources(a, b)
	return all[:min(len(all), maxDependsOn)]
}

// restsOn reports whether the evidence is that of one of the sources, or needs one.
func (e Evidence) restsOn(sources []string) bool {
	return sharesSource(e.Sources, sources) || sharesSource(e.DependsOn, sources)
}

// maxVariants bounds the variants of one piece of evidence.
const maxVariants = 32

// Points returns the weight of the evidence: 1 to 3.
func (e Evidence) Points() int { return points[e.Kind] }

// sharesSource reports whether a commit of these sources is also one of others.
func sharesSource(sources, others []string) bool {
	return slices.ContainsFunc(sources, func(s string) bool { return slices.Contains(others, s) })
}
