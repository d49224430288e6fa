package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
)

// ConsoleEdits prints edits for people: the id, the place, the edit that it is made with, and
// the line before and after. It returns the first error of w.
func ConsoleEdits(w io.Writer, edits []outcome.OfferedEdit, o ConsoleOptions) error {
	p := newPrinter(w, o)
	for _, e := range edits {
		p.line(e.ID + "  " + p.paint(cyan, LogLine(text.Place(e.Edit.File, e.Edit.Line))) + MadeWith(e))
		p.line(p.paint(red, "  - "+LogLine(strings.TrimSpace(e.Edit.Before))))
		p.line(p.paint(green, "  + "+LogLine(strings.TrimSpace(e.Edit.After))))
	}
	if err := p.w.Flush(); err != nil {
		return fmt.Errorf("print edits: %w", err)
	}
	return nil
}

// MadeWith names the edit that another one is made with, "" for one that is made alone or
// leads others.
func MadeWith(e outcome.OfferedEdit) string {
	if e.Bundle == "" || e.Bundle == e.ID {
		return ""
	}
	return ", made with " + e.Bundle
}
