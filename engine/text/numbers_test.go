package text_test

import (
	"math"
	"testing"

	"github.com/breadcrumb/action/engine/text"
)

func TestCounts(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{text.Count(1, "test", "tests"), "1 test"},
		{text.Count(0, "test", "tests"), "0 tests"},
		{text.Count(1_234_567, "test", "tests"), "1,234,567 tests"},
		{text.Thousands(999), "999"},
		{text.Thousands(1000), "1,000"},
		{text.Thousands(-123_456), "-123,456"},
		{text.List(nil), ""},
		{text.List([]string{"a"}), "a"},
		{text.List([]string{"a", "b"}), "a and b"},
		{text.List([]string{"a", "b", "c"}), "a, b and c"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for _, c := range []struct {
		ms   float64
		want string
	}{
		{0, ""}, {-5, ""}, {0.2, "1 ms"}, {12, "12 ms"}, {999, "999 ms"}, {999.5, "1.0 s"}, {1000, "1.0 s"}, {4_249, "4.2 s"},
		{59_940, "59.9 s"}, {59_960, "1m 00s"}, {60_000, "1m 00s"}, {192_340, "3m 12s"}, {252_300, "4m 12s"},
		{3_599_000, "59m 59s"}, {3_599_600, "1h 00m"}, {3_840_000, "1h 04m"}, {1e300, ""}, {math.NaN(), ""}, {math.Inf(1), ""},
	} {
		if got := text.Duration(c.ms); got != c.want {
			t.Errorf("%v ms is %q, want %q", c.ms, got, c.want)
		}
	}
}

func TestPercentRoundsDown(t *testing.T) {
	for _, c := range []struct {
		ratio float64
		want  string
	}{
		{1, "100%"}, {0.999, "99%"}, {0.57, "57%"}, {0.29, "29%"}, {0, "0%"},
		{1.2, "unknown"}, {-1, "unknown"}, {math.NaN(), "unknown"},
	} {
		if got := text.Percent(c.ratio); got != c.want {
			t.Errorf("%v is %q, want %q", c.ratio, got, c.want)
		}
	}
}

func TestPlace(t *testing.T) {
	for _, c := range []struct {
		file string
		line int
		want string
	}{{"a.ts", 12, "a.ts:12"}, {"a.ts", 0, "a.ts"}, {"a.ts", -1, "a.ts"}, {"", 12, ""}} {
		if got := text.Place(c.file, c.line); got != c.want {
			t.Errorf("%q line %d is %q, want %q", c.file, c.line, got, c.want)
		}
	}
}
