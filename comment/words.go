package comment

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

// thousands returns n with commas.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// list joins items as a sentence does: "a", "a and b", "a, b and c".
func list(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}

// percent returns a ratio in [0,1] as whole percent, rounded down so that 100%
// means certain. What is no ratio is "unknown".
func percent(ratio float64) string {
	if math.IsNaN(ratio) || ratio < 0 || ratio > 1 {
		return "unknown"
	}
	return fmt.Sprintf("%d%%", int(math.Floor(ratio*100+1e-9)))
}

// duration returns milliseconds in the two units that matter: "850 ms", "4.2 s",
// "3m 12s", "1h 04m". It is empty for none.
func duration(ms float64) string {
	switch {
	case math.IsNaN(ms) || ms <= 0 || ms > 1e12:
		return ""
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", math.Ceil(ms))
	case ms < 60_000:
		return fmt.Sprintf("%.1f s", ms/1000)
	}
	d := time.Duration(ms) * time.Millisecond
	if d < time.Hour {
		return fmt.Sprintf("%dm %02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh %02dm", int(d.Hours()), int(d.Minutes())%60)
}

// separator stands between the segments of a test's path.
const separator = " › "

// lastSegment returns the part of a path after its last separator.
func lastSegment(s string) string {
	if i := strings.LastIndex(s, separator); i >= 0 {
		return s[i+len(separator):]
	}
	return s
}
