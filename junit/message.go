package junit

import "github.com/breadcrumb/action/engine/text"

// messageMax bounds a message in bytes.
const messageMax = 500

// firstLine returns the first line of an error that says something, bounded.
func firstLine(message, body string) string {
	return text.Cut(clean(text.FirstLine(cleanText(message), cleanText(body))), messageMax)
}

// cleanText returns the text of an error without what steers a terminal or
// hides, never longer than it was.
func cleanText(s string) string { return text.Cut(text.Clean(s), len(s)) }
