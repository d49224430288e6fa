package preset

import (
	"github.com/breadcrumb/action/engine"
	"math"
)

// The signals of the presets. Each is a pure, symmetric function into [0,1].

// proximityRange is the distance in CSS pixels at which two boxes count as far
// apart; it is the seed's.
const proximityRange = 500

// Exact returns 1 when a equals b, else 0.
func Exact(a, b string) float64 {
	if a == b {
		return 1
	}
	return 0
}

// LevenshteinRatio returns 1 − d/max(|a|,|b|) with d the edit distance of V. I.
// Levenshtein (1966) in code points: 1 for two empty texts, 0 when one is
// empty.
func LevenshteinRatio(a, b string) float64 {
	return newPattern([]rune(a)).ratio([]rune(b))
}

// Jaccard returns |A∩B|/|A∪B| of two lists read as sets (P. Jaccard, 1901),
// and 0 when both are empty.
func Jaccard[T comparable](a, b []T) float64 {
	both, all := 0, 0
	for i, x := range a {
		if contains(a[:i], x) {
			continue
		}
		all++
		if contains(b, x) {
			both++
		}
	}
	for i, y := range b {
		if !contains(b[:i], y) && !contains(a, y) {
			all++
		}
	}
	if all == 0 {
		return 0
	}
	return float64(both) / float64(all)
}

func contains[T comparable](list []T, x T) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// LCSRatio returns the length of the longest common subsequence (R. A. Wagner
// and M. J. Fischer, 1974) over the longer list's length, and 0 when both are
// empty.
func LCSRatio[T comparable](a, b []T) float64 {
	longer := max(len(a), len(b))
	if longer == 0 {
		return 0
	}
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diagonal = above
		}
	}
	return float64(row[len(b)]) / float64(longer)
}

// Proximity returns 1 − d/500 with d the Euclidean distance in pixels between
// the centres of two boxes, never less than 0, and 0 when a box is missing.
func Proximity(a, b *engine.BoundingBox) float64 {
	if a == nil || b == nil {
		return 0
	}
	dx := a.X + a.Width/2 - b.X - b.Width/2
	dy := a.Y + a.Height/2 - b.Y - b.Height/2
	return max(0, 1-math.Sqrt(dx*dx+dy*dy)/proximityRange)
}
