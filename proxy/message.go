package proxy

import (
	"bytes"
	"encoding/json"
	"slices"
)

// span is where a value stands in a text.
type span struct{ from, to int }

func (s span) of(text []byte) []byte { return text[s.from:s.to] }

// message is a message of the protocol, with its parts where they stand in the text
// (packages/protocol/src/protocol.yml and the dispatchers of playwright-core). A part that
// is missing is empty.
type message struct {
	text []byte

	id, guid, method                     span
	params, metadata, result, fault, log span

	// Of a worker that makes calls itself: that a call is made already, the ids of the questions
	// what it finds and what frames of its page show, and the timeout that it has, in ms, where
	// it has none of its own.
	made, read, within span
}

// readMessage finds the parts of a message. It reports false for a text that is no JSON
// object; one that is valid JSON in the parts that are looked at need not be so elsewhere.
func readMessage(text []byte) (message, bool) {
	m := message{text: text}
	ok := eachField(text, func(key []byte, value span) {
		switch string(key) {
		case "id":
			m.id = value
		case "guid":
			m.guid = value
		case "method":
			m.method = value
		case "params":
			m.params = value
		case "metadata":
			m.metadata = value
		case "result":
			m.result = value
		case "error":
			m.fault = value
		case "log":
			m.log = value
		case "made":
			m.made = value
		case "read":
			m.read = value
		case "within":
			m.within = value
		}
	})
	return m, ok
}

// has reports whether a part is there and not null.
func (m message) has(s span) bool { return s.to > s.from && !bytes.Equal(s.of(m.text), []byte("null")) }

// string returns a part that is a string, "" for any other.
func (m message) string(s span) string { return unquote(s.of(m.text)) }

// unquote returns the value of a JSON string, "" for what is none.
func unquote(quoted []byte) string {
	if n := len(quoted); n >= 2 && quoted[0] == '"' && bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : n-1])
	}
	var value string
	if json.Unmarshal(quoted, &value) != nil {
		return ""
	}
	return value
}

// field returns a field of a part that is an object.
func (m message) field(part span, name string) (span, bool) {
	var found span
	eachField(part.of(m.text), func(key []byte, value span) {
		if string(key) == name {
			found = span{part.from + value.from, part.from + value.to}
		}
	})
	return found, found.to > found.from
}

// guidIn returns the guid of an object that a part refers to under a name.
func (m message) guidIn(part span, name string) string {
	at, _ := m.field(part, name)
	guid, _ := m.field(at, "guid")
	return m.string(guid)
}

// edit is a new text in the place of a span.
type edit struct {
	at  span
	new []byte
}

// edited returns the message's text with some parts replaced.
func (m message) edited(edits ...edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return a.at.from - b.at.from })
	var out []byte
	last := 0
	for _, e := range edits {
		out = append(append(out, m.text[last:e.at.from]...), e.new...)
		last = e.at.to
	}
	return append(out, m.text[last:]...)
}

// eachField calls visit with each key of a JSON object and with the place of its value.
// A key that is written with an escape is left out. It reports false for what is no object.
func eachField(text []byte, visit func(key []byte, value span)) bool {
	i := skipSpace(text, 0)
	if i >= len(text) || text[i] != '{' {
		return false
	}
	if i = skipSpace(text, i+1); i < len(text) && text[i] == '}' {
		return true
	}
	for i < len(text) && text[i] == '"' {
		end := skipString(text, i)
		colon := skipSpace(text, end)
		if end < 0 || colon >= len(text) || text[colon] != ':' {
			return false
		}
		from := skipSpace(text, colon+1)
		to := skipValue(text, from)
		if to < 0 {
			return false
		}
		visit(text[i+1:end-1], span{from, to})
		if i = skipSpace(text, to); i >= len(text) || text[i] != ',' {
			return i < len(text) && text[i] == '}'
		}
		i = skipSpace(text, i+1)
	}
	return false
}

func skipSpace(text []byte, i int) int {
	for i >= 0 && i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index behind the string that begins at i, -1 for none.
func skipString(text []byte, i int) int {
	for i++; i < len(text); i++ {
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			return -1
		}
		escape := bytes.IndexByte(text[i:i+n], '\\')
		if escape < 0 {
			return i + n + 1
		}
		i += escape + 1 // what is escaped is no end
	}
	return -1
}

// skipValue returns the index behind the value that begins at i, -1 for none.
func skipValue(text []byte, i int) int {
	start, depth := i, 0
	for i < len(text) {
		switch text[i] {
		case '"':
			if i = skipString(text, i); i < 0 {
				return -1
			}
		case '{', '[':
			depth++
			i++
		case '}', ']':
			if depth--; depth < 0 {
				return endOfWord(start, i)
			}
			i++
		case ',':
			if depth == 0 {
				return endOfWord(start, i)
			}
			i++
		case ' ', '\t', '\n', '\r':
			if depth == 0 {
				return endOfWord(start, i)
			}
			i++
		default:
			i++
			continue // in the middle of a number or name
		}
		if depth == 0 {
			return i
		}
	}
	if depth > 0 {
		return -1
	}
	return endOfWord(start, i)
}

// endOfWord returns the end of a number or name, -1 for an empty one.
func endOfWord(start, end int) int {
	if end == start {
		return -1
	}
	return end
}
