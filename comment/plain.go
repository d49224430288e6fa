package comment

import "regexp"

// plainWidth is how long a line of a commit message may be, in characters.
const plainWidth = 400

// skips are the words in brackets by which a commit starts no workflow.
var skips = regexp.MustCompile(`(?i)\[(skip|ci|no|actions) `)

// references are what GitHub links in a commit message.
var references = regexp.MustCompile(`(?i)(@|#(?:[0-9])|GH-|://)`)

// CommitLine returns hostile text for one line of a commit message: cleaned, short,
// and broken wherever it would close an issue, notify somebody or keep
// workflows from starting.
func CommitLine(s string) string {
	s = line(s, plainWidth)
	s = skips.ReplaceAllStringFunc(s, func(m string) string { return "(" + m[1:] })
	return references.ReplaceAllStringFunc(s, func(m string) string { return m[:1] + " " + m[1:] })
}
