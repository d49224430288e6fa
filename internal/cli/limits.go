package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/breadcrumb/action/junit"
)

// reportLimit is one bound of report-limits.
type reportLimit struct {
	name string
	size bool  // in bytes, with KB, MB or GB
	most int64 // what the packed form of a report has room for
	set  func(l *junit.Limits, n int64)
}

var reportLimits = []reportLimit{
	{"depth", false, 1_000, func(l *junit.Limits, n int64) { l.Depth = int(n) }},
	{"text", true, 512 << 10, func(l *junit.Limits, n int64) { l.FieldBytes = int(n) }},
	{"texts", true, 512 << 20, func(l *junit.Limits, n int64) { l.TextBytes = n }},
	{"names", true, 512 << 20, func(l *junit.Limits, n int64) { l.KeptBytes = n }},
	{"tests", false, 10_000_000, func(l *junit.Limits, n int64) { l.Cases = int(n) }},
	{"suites", false, 10_000_000, func(l *junit.Limits, n int64) { l.Suites = int(n) }},
	{"attributes", false, 10_000, func(l *junit.Limits, n int64) { l.Attributes = int(n) }},
	{"attempts", false, 1_000, func(l *junit.Limits, n int64) { l.Attempts = int(n) }},
	{"properties", false, 1_000, func(l *junit.Limits, n int64) { l.Properties = int(n) }},
	{"files", false, 1_000_000, func(l *junit.Limits, n int64) { l.Files = int(n) }},
	{"total", true, maxBytes, func(l *junit.Limits, n int64) { l.TotalBytes = n }},
}

func reportLimitNames() string {
	var names []string
	for _, l := range reportLimits {
		names = append(names, l.name)
	}
	return strings.Join(names, ", ")
}

// parseLimits reads items such as "depth=100" and "texts=16MB". A limit that is not
// named stays zero, which means junit's default.
func parseLimits(items []string) (junit.Limits, error) {
	var limits junit.Limits
	for _, item := range items {
		name, text, hasValue := strings.Cut(item, "=")
		at := slices.IndexFunc(reportLimits, func(l reportLimit) bool { return l.name == strings.TrimSpace(name) })
		switch {
		case at < 0:
			return limits, fmt.Errorf("%q names no bound; they are %s, each as name=value", item, reportLimitNames())
		case !hasValue:
			return limits, fmt.Errorf("%q says no value; write %s=NUMBER", item, reportLimits[at].name)
		}
		n, err := reportLimits[at].parseLimit(strings.TrimSpace(text))
		if err != nil {
			return limits, err
		}
		reportLimits[at].set(&limits, n)
	}
	return limits, nil
}

func (l reportLimit) parseLimit(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if l.size {
		n, err = parseBytes(text)
	}
	if err != nil || n < 1 || n > l.most {
		return 0, fmt.Errorf("%s=%s is out of range; it must be from 1 to %d", l.name, text, l.most)
	}
	return n, nil
}

// limits returns the report limits; checkValue has validated them.
func (vs values) limits() junit.Limits {
	limits, _ := parseLimits(vs["report-limits"].items)
	limits.FileBytes = vs["max-report-bytes"].bytes()
	return limits
}

// maxBytes is the largest size that a setting may have.
const maxBytes = 1 << 40

// parseBytes reads a size in bytes: "4096", "64KB", "200 MB", "1GB".
func parseBytes(text string) (int64, error) {
	digits := strings.ToUpper(strings.TrimSpace(text))
	unit := int64(1)
	for i, suffix := range []string{"KB", "MB", "GB", "TB"} {
		if cut, found := strings.CutSuffix(digits, suffix); found {
			digits, unit = strings.TrimSpace(cut), int64(1)<<(10*(i+1))
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read size: %w", err)
	}
	if n < 1 || n > maxBytes/unit {
		return 0, fmt.Errorf("size %s is out of range", text)
	}
	return n * unit, nil
}

// bytes returns a size in bytes; checkValue has validated it.
func (v value) bytes() int64 {
	n, _ := parseBytes(v.text())
	return n
}
