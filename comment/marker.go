package comment

import (
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// DefaultKey is the comment key when none is set.
const DefaultKey = "default"

// The marker is an HTML comment on the body's first line. GitHub keeps it and
// shows nothing of it. The name in it never survives in hostile text (clean),
// so the only marker in a body is the one that was put there.
const (
	markerName  = "breadcrumb:comment"
	markerStart = "<!-- " + markerName + " v1 key="
	markerEnd   = " -->"
)

var keyForm = lazyregexp.New(`^[A-Za-z0-9._-]{1,64}$`)

// ValidKey reports whether key can name a comment: 1 to 64 of A-Z, a-z, 0-9,
// dot, underscore and hyphen.
func ValidKey(key string) bool { return keyForm.MatchString(key) }

// marker returns the hidden first line for key, without a line ending.
func marker(key string) string { return markerStart + key + markerEnd }

// parseMarker returns the key of a body that begins with a marker. A marker
// anywhere else, of another version or in another spelling does not count.
func parseMarker(body string) (key string, ok bool) {
	rest, ok := strings.CutPrefix(body, markerStart)
	if !ok {
		return "", false
	}
	line, _, _ := strings.Cut(rest, "\n")
	key, ok = strings.CutSuffix(strings.TrimSuffix(line, "\r"), markerEnd)
	if !ok || !ValidKey(key) {
		return "", false
	}
	return key, true
}
