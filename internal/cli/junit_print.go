package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/junit"
	"github.com/breadcrumb/action/report"
)

// filePrinter writes reports one after the other, row by row, before the rows of
// one test are joined.
type filePrinter interface {
	begin() error
	printFile(f *junit.File) error
	printUnread(name, reason string) error
	end() error
}

// caseView is one row in JSON.
type caseView struct {
	ID         string        `json:"id"`
	Suite      string        `json:"suite"`
	Class      string        `json:"classname"`
	Name       string        `json:"name"`
	File       string        `json:"file"`
	Status     engine.Status `json:"status"`
	DurationMS float64       `json:"duration_ms"`
	Attempts   int           `json:"attempts"`
}

func newCaseView(f *junit.File, i int) caseView {
	suite, class, name := f.CaseNames(i)
	c := f.Case(i)
	return caseView{ID: string(f.ID(c.Result)), Suite: suite, Class: class, Name: name, File: c.File,
		Status: c.Status, DurationMS: c.DurationMS, Attempts: 1 + c.Flaky + c.Reruns}
}

func formatWarnings(f *junit.File) []string {
	out := []string{}
	for _, n := range f.Notices {
		text := n.Reason
		if n.Line > 0 {
			text = fmt.Sprintf("line %d: %s", n.Line, n.Reason)
		}
		out = append(out, text)
	}
	return out
}

// fileView is a report in JSON, without its rows.
type fileView struct {
	File     string   `json:"file"`
	Tests    int      `json:"tests"` // <testcase> rows
	Passed   int      `json:"passed"`
	Failed   int      `json:"failed"`
	Errors   int      `json:"errors"`
	Skipped  int      `json:"skipped"`
	Flaky    int      `json:"flaky"`
	Green    bool     `json:"green"`
	Whole    bool     `json:"whole"` // every test of the report was read
	Format   string   `json:"format"`
	Warnings []string `json:"warnings"`
	Error    string   `json:"error,omitempty"`
}

// jsonPrinter writes {"files":[…]} row by row: building the whole document first
// would take several times the memory of the report.
type jsonPrinter struct {
	w       io.Writer
	files   int
	encoded bytes.Buffer // one value; it and its encoder are used again
	encoder *json.Encoder
	row     caseView
}

func (p *jsonPrinter) begin() error { return p.writeText("{\n  \"files\": [") }

func (p *jsonPrinter) end() error {
	if p.files == 0 {
		return p.writeText("]\n}\n")
	}
	return p.writeText("\n  ]\n}\n")
}

func (p *jsonPrinter) printFile(f *junit.File) error {
	n := f.Counts()
	if err := p.writeHead(fileView{File: f.Name, Tests: n.Tests, Passed: n.Passed, Failed: n.Failed, Errors: n.Errors, Skipped: n.Skipped,
		Flaky: n.Flaky, Green: f.Green(), Whole: f.Whole, Format: f.Format, Warnings: formatWarnings(f)}); err != nil {
		return err
	}
	for i := range f.Rows {
		separator := ",\n        "
		if i == 0 {
			separator = "\n        "
		}
		p.row = newCaseView(f, i)
		raw, err := p.encode(&p.row)
		if err != nil {
			return err
		}
		if err := p.writeText(separator, raw); err != nil {
			return err
		}
	}
	return p.writeText("\n      ]\n    }")
}

func (p *jsonPrinter) printUnread(name, reason string) error {
	if err := p.writeHead(fileView{File: name, Warnings: []string{}, Error: reason}); err != nil {
		return err
	}
	return p.writeText("]\n    }")
}

// writeHead writes a report's fields up to the list of its cases.
func (p *jsonPrinter) writeHead(v fileView) error {
	separator := ",\n    "
	if p.files == 0 {
		separator = "\n    "
	}
	p.files++
	raw, err := p.encode(v)
	if err != nil {
		return err
	}
	return p.writeText(separator, raw[:len(raw)-1], []byte(",\n      \"cases\": ["))
}

// writeText writes a separator and the parts after it.
func (p *jsonPrinter) writeText(separator string, parts ...[]byte) error {
	_, err := io.WriteString(p.w, separator)
	for _, part := range parts {
		if err == nil {
			_, err = p.w.Write(part)
		}
	}
	return err
}

// encode returns v as JSON on one line, without escaping < and >. The bytes are
// valid until the next call.
func (p *jsonPrinter) encode(v any) ([]byte, error) {
	p.encoded.Reset()
	if err := p.encoder.Encode(v); err != nil {
		return nil, fmt.Errorf("encode report: %w", err)
	}
	return bytes.TrimRight(p.encoded.Bytes(), "\n"), nil
}

// tablePrinter writes a table for people.
type tablePrinter struct{ w io.Writer }

func (p *tablePrinter) begin() error { return nil }
func (p *tablePrinter) end() error   { return nil }

func (p *tablePrinter) printUnread(name, reason string) error {
	_, err := fmt.Fprintf(p.w, "%s: not read: %s\n", report.LogLine(name), report.LogLine(reason))
	return err
}

func (p *tablePrinter) printFile(f *junit.File) error {
	n := f.Counts()
	part := ""
	if !f.Whole {
		part = ", not read whole"
	}
	_, err := fmt.Fprintf(p.w, "%s (%s%s): %d passed, %d failed, %d errors, %d skipped, %d flaky\n",
		report.LogLine(f.Name), report.LogLine(f.Format), part, n.Passed, n.Failed, n.Errors, n.Skipped, n.Flaky)
	for _, text := range formatWarnings(f) {
		if err == nil {
			_, err = fmt.Fprintf(p.w, "  warning: %s\n", report.LogLine(text))
		}
	}
	for i := 0; i < f.Rows && err == nil; i++ {
		c := newCaseView(f, i)
		_, err = fmt.Fprintf(p.w, "  %-7s  %-10s  %7.0f ms  %s\n", c.Status, formatAttempts(c.Attempts), c.DurationMS, report.LogLine(c.ID))
	}
	return err
}

func formatAttempts(n int) string {
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}
