package flaky

import (
	"cmp"
	"crypto/sha256"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// maxSignature bounds a signature in bytes, maxError what it says of the error without
// its details.
const (
	maxSignature = 250
	maxError     = 200
)

// detailMark stands before each detail of a signature, and nowhere else in it.
const detailMark = " ¦ "

// maxMessage bounds what is read of a message, in bytes.
const maxMessage = 4 << 10

// volatile are the parts of a message that differ from run to run although the
// error is the same, in the order in which they are taken out.
var volatile = []struct {
	pattern *lazyregexp.Regexp
	with    string
}{
	{lazyregexp.New(`(?i)\b[a-z][a-z0-9+.-]*://[^\s"'<>)\]]+`), "<url>"},                                         // addresses
	{lazyregexp.New(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`), "<id>"},             // UUIDs
	{lazyregexp.New(`\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?`), "<time>"}, // dates
	{lazyregexp.New(`\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?\b`), "<time>"},                                         // times of day
	{lazyregexp.New(`\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b`), "<host>"},                                           // IPv4
	{lazyregexp.New(`(?i)\b[\w-]+(?:\.[\w-]+)*\.(?:local|internal|com|org|net|io|dev|test)(?::\d+)?\b`), "<host>"},
	{lazyregexp.New(`(?i)\blocalhost(?::\d+)?\b`), "<host>"},
	{lazyregexp.New(`[A-Za-z]:\\[^\s"'<>|:]+|(?:\.{0,2}/)?(?:[\w.@~+-]+/)+[\w.@~+-]+`), "<path>"}, // paths
	{lazyregexp.New(`\b0[xX][0-9a-fA-F]+\b`), "<id>"},                                             // memory addresses
	{lazyregexp.New(`@[0-9a-f]{4,}\b`), "@<id>"},                                                  // Java's object hashes
	{lazyregexp.New(`\b(?:[0-9]+[a-f]|[a-f]+[0-9])[0-9a-f]{5,}\b`), "<id>"},                       // hashes
	{lazyregexp.New(`\d+(?:[.,]\d+)*`), "<n>"},                                                    // numbers
}

// Signature returns what stays the same of an attempt's error from run to run: its
// type and the first lines of its message without numbers, ids, paths, addresses,
// times and ANSI sequences, and then its details, where they are known: the locator,
// the errors of retries that the text tells as well, and the place. It is at most
// 250 bytes of valid UTF-8 without line breaks; details that do not fit end in a
// digest of them all. An attempt that did not fail has none; an error that says
// nothing is "no message".
func Signature(a engine.Attempt) string {
	if !a.Status.Failing() {
		return ""
	}
	message := a.Message
	if strings.TrimSpace(message) == "" {
		message = firstLine(a.Text)
	}
	s := cmp.Or(strings.ReplaceAll(normalise(a.ErrorType, message), "¦", "|"), "no message")
	details := detailsOf(a)
	if len(details) == 0 {
		return s
	}
	return s + clipDetails(detailMark+strings.Join(details, detailMark), maxSignature-len(s))
}

// errorOf returns a signature without its details: many tests fail with one error at
// a place of their own each.
func errorOf(signature string) string {
	s, _, _ := strings.Cut(signature, detailMark)
	return s
}

var (
	// clippedDigest ends details that did not fit, see clipDetails.
	clippedDigest = lazyregexp.New(` #[a-p]{16}$`)
	// leftOut are what a signature has in the place of what is volatile.
	leftOut = strings.NewReplacer("<n>", "…", "<id>", "…", "<url>", "…", "<path>", "…", "<time>", "…", "<host>", "…")
)

// Readable returns a signature, or the error in one, as people read it: with its details
// behind dots, and "…" for what it leaves out.
func Readable(signature string) string {
	signature = clippedDigest.ReplaceAllLiteralString(signature, "…")
	return leftOut.Replace(strings.ReplaceAll(signature, detailMark, " · "))
}

// locatorDetail is a detail of a signature that is a locator.
var locatorDetail = lazyregexp.New(`^(?:(?:(?:page|frame)\.)?(?i:locator|frame_?locator|get_?by_?\w+)\(|selector |")`)

// ReadSignature returns the error in a signature and, where it names one, the locator.
func ReadSignature(signature string) (message, locator string) {
	parts := strings.Split(signature, detailMark)
	for _, detail := range parts[1:] {
		if locatorDetail.MatchString(detail) {
			return parts[0], detail
		}
	}
	return parts[0], ""
}

// clipDetails returns details in at most so many bytes, at least 50.
func clipDetails(details string, most int) string {
	if len(details) <= most {
		return details
	}
	sum := sha256.Sum256([]byte(details))
	digest := []byte(" #")
	for _, b := range sum[:8] {
		digest = append(digest, 'a'+b>>4, 'a'+b&15)
	}
	return strings.ToValidUTF8(clipBytes(details, most-len(digest)), "") + string(digest)
}

func normalise(errorType, message string) string {
	s := text.Clean(clipBytes(message, maxMessage))
	for _, v := range volatile {
		s = v.pattern.ReplaceAllString(s, v.with)
	}
	s = strings.Join(strings.Fields(strings.Map(printable, s)), " ")
	if kind := strings.Join(strings.Fields(strings.Map(printable, strings.ToValidUTF8(clipBytes(errorType, 100), ""))), " "); kind != "" && !strings.HasPrefix(s, kind) {
		s = strings.TrimSuffix(kind+": "+s, ": ")
	}
	return strings.ToValidUTF8(clipBytes(s, maxError), "")
}

// printable turns control characters into spaces.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}

func firstLine(text string) string {
	for line := range strings.Lines(clipBytes(text, maxMessage)) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

func clipBytes(s string, most int) string { return s[:min(len(s), most)] }
