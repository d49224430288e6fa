package text_test

import (
	"math/rand"
	"testing"

	"github.com/breadcrumb/action/engine/text"
)

// plainDistance is the textbook edit distance.
func plainDistance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := diagonal
			if x != y {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

func TestDistanceIsThatOfTheTextbook(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	random := func(n int) []rune {
		r := make([]rune, rnd.Intn(n))
		for i := range r {
			r[i] = []rune("abcdeäß漢😀")[rnd.Intn(9)]
		}
		return r
	}
	for i := 0; i < 3000; i++ {
		n := []int{10, 70, 200}[i%3]
		a, b := random(n), random(n)
		if got, want := text.NewPattern(a).Distance(b), plainDistance(a, b); got != want {
			t.Fatalf("distance(%q, %q) = %d, want %d", string(a), string(b), got, want)
		}
	}
}
