package workflowlint

import (
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// placed returns the line and column of the ${{ with the given index in a
// node's text, both from 1. In a text that is written with escapes, where it
// cannot be found, that is the node's own place.
func (d *document) placed(n *yaml.Node, index int) (line, column int) {
	l, from := n.Line-1, 0
	if l < 0 || l >= len(d.lines) {
		return n.Line, n.Column
	}
	from = byteOffset(d.lines[l], n.Column-1)
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		l, from = l+1, 0
	}
	for ; l < len(d.lines); l, from = l+1, 0 {
		for text := d.lines[l][from:]; ; index-- {
			at := strings.Index(text, "${{")
			if at < 0 {
				break
			}
			if from += at; index == 0 {
				return l + 1, utf8.RuneCountInString(d.lines[l][:from]) + 1
			}
			from += 3
			text = text[at+3:]
		}
	}
	return n.Line, n.Column
}

// byteOffset returns where a line's character with that number, from 0, begins.
func byteOffset(line string, character int) int {
	for i := range line {
		if character == 0 {
			return i
		}
		character--
	}
	return len(line)
}
