package gh

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"
)

// MaxSummaryBytes is the most a step's job summary may hold; the runner drops
// a longer one whole.
const MaxSummaryBytes = 1 << 20

// ErrSummaryFull is returned when the job summary has no room for the text.
var ErrSummaryFull = errors.New("the job summary is full")

// AppendSummary appends markdown to the step's job summary and ends its line.
// Text that does not fit into [MaxSummaryBytes] with what is there already is
// cut at the end of a line, followed by a line saying how much was left out;
// when not even that line fits, the error is [ErrSummaryFull] and nothing is
// written.
func (a *Actions) AppendSummary(markdown string) error {
	const variable = "GITHUB_STEP_SUMMARY"
	used, err := fileSize(a.getenv(variable))
	if err != nil {
		return fmt.Errorf("size of %s: %w", variable, err)
	}
	if room := MaxSummaryBytes - used; len(markdown) < room && !strings.HasSuffix(markdown, "\n") {
		markdown += "\n"
	}
	text, err := fit(markdown, MaxSummaryBytes-used)
	if err != nil {
		return fmt.Errorf("write %s: %w", variable, err)
	}
	return a.appendTo(variable, text)
}

// fit returns text cut to at most room bytes.
func fit(text string, room int) (string, error) {
	if len(text) <= room {
		return text, nil
	}
	const note = "\n\n… %d bytes are left out here: a job summary holds 1 MiB.\n"
	keep := room - len(fmt.Sprintf(note, len(text)))
	if keep < 0 {
		return "", ErrSummaryFull
	}
	for keep > 0 && !utf8.RuneStart(text[keep]) {
		keep--
	}
	if line := strings.LastIndexByte(text[:keep], '\n'); line > 0 {
		keep = line
	}
	return text[:keep] + fmt.Sprintf(note, len(text)-keep), nil
}

// fileSize returns the size of the named file in bytes, 0 when there is none.
func fileSize(name string) (int, error) {
	info, err := os.Stat(name)
	if name == "" || errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return int(info.Size()), nil
}
