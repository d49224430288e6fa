// Package delta is the file format in which recorded runs travel between
// databases: a header line and canonical JSON lines, sorted and compressed by
// Zstandard. Read checks what it reads. Lines and fields of newer versions are
// passed on.
//
// Zstandard unpacks a snapshot of a million results several times faster than
// gzip. The digest is of the unpacked lines, so that another version of the
// compressor changes nothing.
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
