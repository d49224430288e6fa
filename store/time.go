package store

import (
	"time"
)

// Bounded keeps a time within what Unix microseconds can hold; the zero time
// becomes the epoch.
func Bounded(t time.Time) time.Time {
	if t.IsZero() {
		return time.Unix(0, 0)
	}
	return FromUnix(float64(t.Unix())).Add(time.Duration(t.Nanosecond()))
}

// Unix returns t in Unix seconds as the seed keeps them, to the microsecond.
func Unix(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// FromUnix is the inverse of unix.
func FromUnix(seconds float64) time.Time {
	const farthest = 253402300799 // the last second of the year 9999
	seconds = max(-farthest, min(farthest, seconds))
	whole := int64(seconds)
	return time.UnixMicro(whole*1e6 + int64((seconds-float64(whole))*1e6+0.5*sign(seconds))).UTC()
}

func sign(f float64) float64 {
	if f < 0 {
		return -1
	}
	return 1
}
