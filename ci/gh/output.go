package gh

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// maxOutputBytes bounds one output: a job may set 1 MiB, counted as UTF-16
// (https://docs.github.com/en/actions/reference/workflows-and-actions/metadata-syntax#outputs-for-docker-container-and-javascript-actions).
const maxOutputBytes = 1 << 19

var (
	outputKey  = lazyregexp.New(`^[A-Za-z0-9_-]+$`)
	outputWord = lazyregexp.New(`^[a-z][a-z0-9_-]{0,63}$`)
	outputPath = lazyregexp.New(`^[A-Za-z0-9_.][A-Za-z0-9_./-]*$`)
)

// shellInert escapes, inside JSON strings, what starts a command or ends a
// quotation in a shell. Compact JSON has these characters nowhere else.
var shellInert = strings.NewReplacer("$", `\u0024`, "`", `\u0060`, "'", `\u0027`,
	";", `\u003b`, "|", `\u007c`, "&", `\u0026`, "<", `\u003c`, ">", `\u003e`)

// SetOutput sets the step's output key. value must be a number, a fixed word
// (lower case letters, digits, - and _) or JSON; anything else is an error and
// nothing is written. JSON is written on one line with the characters that act
// in a shell as \u escapes, because workflows paste outputs into shell lines.
func (a *Actions) SetOutput(key, value string) error {
	text, err := outputText(value)
	if err != nil {
		return fmt.Errorf("output %q: %w", key, err)
	}
	return a.writeOutput(key, text)
}

// SetOutputPath sets the step's output key to a slash-separated path relative
// to the workspace, made of letters, digits and _ . - / only.
func (a *Actions) SetOutputPath(key, name string) error {
	if !outputPath.MatchString(name) || name != path.Clean(name) || strings.HasPrefix(name, "..") {
		return fmt.Errorf("output %q: %.80q is not a clean relative path of letters, digits and _ . - /", key, name)
	}
	return a.writeOutput(key, name)
}

// outputText returns value as it is written, or an error when it is neither a
// word nor JSON; a number is JSON.
func outputText(value string) (string, error) {
	if outputWord.MatchString(value) {
		return value, nil
	}
	if len(value) > maxOutputBytes {
		return "", fmt.Errorf("%d bytes, more than the %d that an output holds", len(value), maxOutputBytes)
	}
	var line bytes.Buffer
	if !utf8.ValidString(value) || json.Compact(&line, []byte(value)) != nil {
		return "", fmt.Errorf("value %.80q is not a number, a fixed word or JSON", value)
	}
	return shellInert.Replace(line.String()), nil
}

// writeOutput writes one output between random delimiters: a value holding a
// known one would end early and set outputs of its own.
func (a *Actions) writeOutput(key, value string) error {
	if !outputKey.MatchString(key) {
		return fmt.Errorf("output name %.80q: use letters, digits, _ and - only", key)
	}
	token, err := a.drawToken()
	if err != nil {
		return fmt.Errorf("output %s: %w", key, err)
	}
	delimiter := "breadcrumb_" + token
	if strings.Contains(value, delimiter) {
		return fmt.Errorf("output %s: value holds its own delimiter", key)
	}
	return a.appendTo("GITHUB_OUTPUT", key+"<<"+delimiter+"\n"+value+"\n"+delimiter+"\n")
}

// AddPath puts a folder on the PATH of the job's later steps.
func (a *Actions) AddPath(folder string) error {
	if strings.ContainsAny(folder, "\r\n") {
		return fmt.Errorf("path %.80q: a line break ends a line of GITHUB_PATH", folder)
	}
	return a.appendTo("GITHUB_PATH", folder+"\n")
}

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
	text, err := fitSummary(markdown, MaxSummaryBytes-used)
	if err != nil {
		return fmt.Errorf("write %s: %w", variable, err)
	}
	return a.appendTo(variable, text)
}

// fitSummary returns text cut to at most room bytes.
func fitSummary(text string, room int) (string, error) {
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
