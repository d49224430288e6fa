//go:build race

package junit

// The race detector makes sync.Pool drop what it is given at random, so what is
// allocated says nothing about the parser.
const raceDetector = true
