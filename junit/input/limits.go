package input

import "cmp"

// Limits bounds what one report may cost. A zero field takes its default;
// whatever a bound cuts off gives a notice, which blocks where a result
// could have been lost.
type Limits struct {
	Depth      int   // open elements at one place, default 64
	FieldBytes int   // bytes kept of one text field, default 64 KB
	TextBytes  int64 // bytes of failure texts, properties and attachments kept of one file, default 4 MB
	KeptBytes  int64 // bytes of names and counts kept of one file, default 20 MB: about 300,000 tests
	FileBytes  int64 // raw bytes read of one file, default 1 GB
	Cases      int   // test cases of one file, default 1,000,000
	Suites     int   // suites of one file, default 100,000
	Attributes int   // attributes read of one element, default 256
	Attempts   int   // attempts kept of one test, default 100
	Properties int   // properties kept of one test case, default 64
	Files      int   // files of one ParseFiles, default 10,000
	TotalBytes int64 // raw bytes of one ParseFiles, default 8 GB
}

// WithDefaults returns l with every zero field set to its default.
func (l Limits) WithDefaults() Limits {
	l.Depth = cmp.Or(l.Depth, 64)
	l.FieldBytes = cmp.Or(l.FieldBytes, 64<<10)
	l.TextBytes = cmp.Or(l.TextBytes, 4<<20)
	l.KeptBytes = cmp.Or(l.KeptBytes, 20<<20)
	l.FileBytes = cmp.Or(l.FileBytes, 1<<30)
	l.Cases = cmp.Or(l.Cases, 1_000_000)
	l.Suites = cmp.Or(l.Suites, 100_000)
	l.Attributes = cmp.Or(l.Attributes, 256)
	l.Attempts = cmp.Or(l.Attempts, 100)
	l.Properties = cmp.Or(l.Properties, 64)
	l.Files = cmp.Or(l.Files, 10_000)
	l.TotalBytes = cmp.Or(l.TotalBytes, 8<<30)
	return l
}
