package ci

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/breadcrumb/action/engine/patch"
)

// titles is what one test file's text tells of the titles of its tests.
type titles struct {
	text      []byte
	templates []patch.Template // what stands around the values in texts that hold some
}

var (
	// textWithValue is a text on one line that holds a value, or that one is
	// added to: `adds ${n}`, "adds #{n}", f"adds {n}", 'adds %i', "adds " + n.
	textWithValue = regexp.MustCompile("`[^`\n]*`|\"[^\"\n]*\"(?:\\s*\\+)?|'[^'\n]*'(?:\\s*\\+)?")
	valueInText   = regexp.MustCompile(`\$\{[^}]*\}|#\{[^}]*\}|\{[^{}]*\}|%[a-z#]|\$[A-Za-z_][\w.]*`)
)

func readTitles(text []byte) titles {
	t := titles{text: text}
	for _, found := range textWithValue.FindAll(text, -1) {
		end := bytes.LastIndexByte(found, found[0])
		parts := valueInText.Split(string(found[1:end]), -1)
		if end < len(found)-1 { // a value is added
			parts = append(parts, "")
		}
		if len(parts) > 1 && strings.Join(parts, "") != "" {
			t.templates = append(t.templates, parts)
		}
	}
	return t
}

// tell reports whether the text holds title, or what title can be made from.
func (t titles) tell(title string) bool {
	if bytes.Contains(t.text, []byte(title)) {
		return true
	}
	for _, parts := range t.templates {
		if parts.Matches(title) {
			return true
		}
	}
	return false
}
