// Package delta is the format in which runs are handed on: one header line and
// canonical JSON lines, sorted, compressed by Zstandard. Read checks, Write
// writes; what a newer version added is kept.
//
// Zstandard and not gzip, because a snapshot of a million results goes through
// the same code and unpacks several times faster. The digest is of the lines,
// so that another version of the compressor changes nothing.
package delta

// Format is the version of the format that this package writes.
const Format = formatName + "1"

const formatName = "breadcrumb.delta/v"

// Bounds of a delta, unpacked.
const (
	maxBody    = 256 << 20
	maxLine    = 16 << 20
	maxRecords = 2_000_000
	maxWindow  = 8 << 20
)
