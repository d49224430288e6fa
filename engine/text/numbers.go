package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Count returns "1 test" or "1,200 tests".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + many
}

// Thousands returns n with commas.
func Thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// List joins items as a sentence does: "a", "a and b", "a, b and c".
func List(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}

// Percent returns a ratio in [0,1] as whole percent, rounded down so that 100%
// means certain. What is no ratio is "unknown".
func Percent(ratio float64) string {
	if !(ratio >= 0 && ratio <= 1) {
		return "unknown"
	}
	return fmt.Sprintf("%d%%", int(math.Floor(ratio*100+1e-9)))
}

// Duration returns milliseconds in the two units that matter: "850 ms", "4.2 s",
// "3m 12s", "1h 04m". It is "" for none and for what is no time.
func Duration(ms float64) string {
	switch {
	case !(ms > 0 && ms < 1e12):
		return ""
	case ms <= 999:
		return fmt.Sprintf("%.0f ms", math.Ceil(ms))
	case ms < 59_950: // more would read "60.0 s"
		return fmt.Sprintf("%.1f s", ms/1000)
	}
	d := (time.Duration(ms) * time.Millisecond).Round(time.Second)
	minutes, seconds := int(d/time.Minute), int(d%time.Minute/time.Second)
	if minutes < 60 {
		return fmt.Sprintf("%dm %02ds", minutes, seconds)
	}
	return fmt.Sprintf("%dh %02dm", minutes/60, minutes%60)
}

// Place returns "file:line", or the file alone when the line is unknown.
func Place(file string, line int) string {
	if file == "" || line < 1 {
		return file
	}
	return file + ":" + strconv.Itoa(line)
}
