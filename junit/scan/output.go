package scan

import (
	"bytes"
	"strings"
)

// What is looked for in captured output.
const (
	// attachmentMark begins the name of a file that a test left: [[ATTACHMENT|path]], the
	// path relative to the report. Jenkins' JUnit attachments plugin introduced it;
	// Playwright writes it too.
	attachmentMark = "[[ATTACHMENT|"
	// waitMark is in the line of Playwright's call log that says what was waited for.
	waitMark = "waiting for "
)

// Bounds of a line that says what was waited for, in bytes before its mark and behind, and
// of the marks in one window that are looked at.
const (
	beforeWait = 64
	behindWait = 1 << 10
	mostWaits  = 32
)

// Output skips captured output up to mark and calls attached with the names of the
// attachments in it, and waited with lines that may say what Playwright waited for: the last
// of each window, as it stands there, valid until waited returns.
func (s *Scanner) Output(mark string, attached func(name string), waited func(line []byte)) {
	for s.Have(1) {
		s.Have(len(attachmentMark))
		window := s.buf[s.pos:s.end]
		end := bytes.Index(window, []byte(mark))
		segment := window
		if end >= 0 {
			segment = window[:end]
		}
		at := bytes.Index(segment, []byte(attachmentMark))
		before := segment
		if at >= 0 {
			before = segment[:at]
		}
		if line := lastWait(before); line != nil {
			waited(line)
		}
		switch {
		case at >= 0:
			s.Skip(at + len(attachmentMark))
			s.readAttachmentName(attached)
		case end >= 0:
			s.Skip(end)
			return
		case s.eof:
			s.Skip(len(window))
		default:
			kept := min(len(window), beforeWait+behindWait)
			s.Skip(len(window) - kept)
			s.Have(kept + 1)
		}
	}
}

// lastWait returns the last line of output that may say what was waited for, nil where none
// does.
func lastWait(output []byte) []byte {
	end := len(output)
	for range mostWaits {
		at := bytes.LastIndex(output[:end], []byte(waitMark))
		if at < 0 {
			return nil
		}
		end = at
		rest, _, _ := bytes.Cut(output[at+len(waitMark):min(len(output), at+behindWait)], newline)
		if namesLocator(rest) {
			start := max(0, at-beforeWait)
			start += bytes.LastIndexByte(output[start:at], '\n') + 1
			return output[start : at+len(waitMark)+len(rest)]
		}
	}
	return nil
}

// namesLocator reports whether what was waited for begins as a locator does.
func namesLocator(s []byte) bool {
	for _, object := range [...]string{"page.", "frame."} {
		s = bytes.TrimPrefix(s, []byte(object))
	}
	for _, word := range [...]string{"locator", "frame", "get", "selector"} {
		if len(s) >= len(word) && strings.EqualFold(string(s[:len(word)]), word) {
			return true
		}
	}
	return false
}

// readAttachmentName reads the name of an attachment up to its "]]".
func (s *Scanner) readAttachmentName(found func(name string)) {
	const longest = 4 << 10
	s.Have(longest)
	window := s.buf[s.pos:min(s.end, s.pos+longest)]
	if end := bytes.Index(window, []byte("]]")); end > 0 && bytes.IndexByte(window[:end], '\n') < 0 {
		found(string(window[:end]))
	}
}
