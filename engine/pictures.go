package engine

import "strings"

// Pictures are the names of the pictures of a heal event's elements, "" for none. The
// files are in the folder PictureFolder beside the file of events, or in HealFolder for an
// event that a trace says.
type Pictures struct {
	Lost  string `json:"lost,omitempty"`  // the lost element as it was, outlined, where a trace showed it
	Found string `json:"found,omitempty"` // the element that was healed to or suggested, outlined
	// Replayed says that Found is a snapshot which a browser showed once more, without the
	// style sheets and images that the page loaded.
	Replayed bool `json:"replayed,omitempty"`
}

// PictureFolder is the folder of pictures beside a file of heal events.
const PictureFolder = "pictures"

// HealFolder is the folder that heal events have by default, from where a command is run.
const HealFolder = "heals"

// IsPictureName reports whether name is one that a picture can have: 32 lower-case
// hexadecimal digits of what is in the file, and ".jpg". Such a name leads nowhere else.
func IsPictureName(name string) bool {
	digits, ok := strings.CutSuffix(name, ".jpg")
	return ok && len(digits) == 32 && strings.Trim(digits, "0123456789abcdef") == ""
}
