package input

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// MaxSeconds bounds a reported duration: about 115 days.
const MaxSeconds = 1e7

// Seconds reads a reported time in seconds: "0.5", "1,234.5", "0,123", "12ms",
// "00:01:02.5". What is not a finite positive number is 0.
func Seconds(text string) float64 {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0
	}
	v, err := strconv.ParseFloat(decimalPoint(text), 64)
	if err != nil {
		v = otherSeconds(text)
	}
	if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return 0
	}
	return min(v, MaxSeconds)
}

// SecondsOf is Seconds of bytes, quick for a plain decimal number.
func SecondsOf(text []byte) float64 {
	number, fraction, point := uint64(0), 0, false
	for _, c := range text {
		switch {
		case c >= '0' && c <= '9':
			number = number*10 + uint64(c-'0')
			if point {
				fraction++
			}
		case c == '.' && !point:
			point = true
		default:
			return Seconds(string(text))
		}
	}
	if len(text) > exactDigits || len(text) == 1 && point {
		return Seconds(string(text))
	}
	return min(float64(number)/powers[fraction], MaxSeconds)
}

// exactDigits is how many digits a float64 holds exactly; so are the powers of ten up to
// there, and a quotient of the two is the nearest float64.
const exactDigits = 15

var powers = [exactDigits + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// decimalPoint drops commas between thousands and turns a decimal comma into a point. A
// comma is decimal if it is the only one and follows a single zero or is not followed
// by exactly three digits.
func decimalPoint(text string) string {
	whole, rest, found := strings.Cut(text, ",")
	if !found {
		return text
	}
	if strings.ContainsAny(rest, ",.") || len(rest) == 3 && strings.TrimLeft(whole, "-0") != "" {
		return strings.ReplaceAll(text, ",", "")
	}
	return whole + "." + rest
}

func otherSeconds(text string) float64 {
	if d, err := time.ParseDuration(strings.ReplaceAll(text, " ", "")); err == nil {
		return d.Seconds()
	}
	parts := strings.Split(text, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return 0
	}
	total := 0.0
	for _, part := range parts {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return 0
		}
		total = total*60 + v
	}
	return total
}

// timestampLayouts are the layouts seen in reports; a time without a zone is UTC.
var timestampLayouts = []string{
	time.RFC3339Nano,
	"2006-01-02T15:04:05.999999999",
	"2006-01-02 15:04:05.999999999",
	"2006-01-02T15:04:05 MST",
	"2006-01-02 15:04:05 MST",
	"2006-01-02T15:04:05-0700",
	"2006-01-02 15:04:05 -0700",
	time.RFC1123,
	time.RFC1123Z,
	time.ANSIC,
}

// Timestamp reads the start of a suite; the zero time where there is none.
func Timestamp(text string) time.Time {
	if text = strings.TrimSpace(text); text == "" {
		return time.Time{}
	}
	for _, layout := range timestampLayouts {
		if t, err := time.Parse(layout, text); err == nil && t.Year() > 1970 {
			return t.UTC()
		}
	}
	return time.Time{}
}

// Milliseconds converts seconds and rounds to the microsecond, which is what is kept.
func Milliseconds(seconds float64) float64 {
	return float64(int64(seconds*1e6+0.5)) / 1e3
}

// IntOrZero reads a number; 0 where there is none.
func IntOrZero(text string) int {
	if text == "" {
		return 0 // spares the making of an error
	}
	v, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return v
}
