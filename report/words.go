package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// count returns "1 test" or "1,200 tests".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + many
}

// thousands returns n ≥ 0 with commas.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// listing joins items as a sentence does: "a", "a and b", "a, b and c".
func listing(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}

// percent returns a ratio in [0,1] as whole percent, rounded down so that only
// certainty reads 100%.
func percent(ratio float64) string {
	if !(ratio >= 0 && ratio <= 1) {
		return "?"
	}
	return fmt.Sprintf("%d%%", int(math.Floor(ratio*100+1e-9)))
}

// duration returns milliseconds as people say them, "" for none.
func duration(ms float64) string {
	switch {
	case !(ms > 0 && ms < 1e12):
		return ""
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", math.Ceil(ms))
	case ms < 60_000:
		return fmt.Sprintf("%.1f s", ms/1000)
	}
	d := (time.Duration(ms) * time.Millisecond).Round(time.Second)
	minutes, seconds := int(d/time.Minute), int(d%time.Minute/time.Second)
	if minutes < 60 {
		return fmt.Sprintf("%dm %02ds", minutes, seconds)
	}
	return fmt.Sprintf("%dh %02dm", minutes/60, minutes%60)
}

// place returns "file:line", or what there is of it.
func place(file string, line int) string {
	if file == "" || line < 1 {
		return Clean(file)
	}
	return Clean(file) + ":" + strconv.Itoa(line)
}
