package report

import "github.com/breadcrumb/action/engine"

// Meaning is one difference between what the lost element meant and what the
// suggested one means.
type Meaning struct {
	What string `json:"what"` // name, text, label, placeholder, title, alt, value, options, icon, row, section or page
	Was  string `json:"was"`
	Now  string `json:"now"`
}

// NewMeanings returns the JSON of changes of meaning as values.
func NewMeanings(changes []engine.Change) []Meaning {
	return convertEach(changes, func(c engine.Change) Meaning { return Meaning(c) })
}
