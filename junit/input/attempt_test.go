package input

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestFirstLine(t *testing.T) {
	for want, source := range map[string][2]string{
		"expected 1":                     {"expected 1\nmore", "text"},
		"cart_test.go:12: got 1, want 0": {"Failed", "=== RUN   TestA\n    cart_test.go:12: got 1, want 0\n--- FAIL: TestA (0.00s)\n"},
		"Error: boom":                    {"a.spec.ts:4:3 fails", "\n  [chromium] › a.spec.ts:4:3 › fails ────\n\n    Error: boom\n"},
		"ValueError: x":                  {"", "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    raise ValueError('x')\nValueError: x\n"},
		"assert 1 == 2":                  {"", "def f():\n>   assert 1 == 2\nE   assert 1 == 2\n"},
		"Failed":                         {"Failed", "=== RUN   TestA\n"},
		"ошибка":                         {"ошибка", ""},
		"red":                            {"\ufffd[31mred\ufffd[0m", ""},
		"":                               {"", "\n\n"},
	} {
		if got := FirstLine(source[0], source[1]); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]float64{
		"": 0, "1.5": 1.5, "1,234.5": 1234.5, "0,123": 0.123, "1,234": 1234, "12ms": 0.012, "1,234,567": 1234567,
		"Infinity": 0, "NaN": 0, "-1": 0, "1e400": 0, "00:01:02.5": 62.5, "7.6e-05": 7.6e-05, "x": 0, "99999999999": MaxSeconds,
	} {
		if got := Seconds(text); math.Abs(got-want) > 1e-9 {
			t.Errorf("seconds(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestSecondsOfBytesAreThoseOfText(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	texts := []string{"", ".", "1.", ".5", "0.1.2", "123456789012345", "1234567890123456", "12345678.1234567", "0.000000000000001", "99999999.9", "1,5", "-1", " 1"}
	for range 20_000 {
		text := strconv.FormatUint(random.Uint64()>>random.IntN(64), 10)
		at := random.IntN(len(text))
		texts = append(texts, text[:at]+"."+text[at:])
	}
	for _, text := range texts {
		if got, want := SecondsOf([]byte(text)), Seconds(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
