package gh

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sethvargo/go-githubactions"

	"github.com/breadcrumb/action/engine/text"
)

// Level is how grave an annotation is.
type Level string

// The levels of an annotation.
const (
	LevelError   Level = "error"
	LevelWarning Level = "warning"
	LevelNotice  Level = "notice"
)

var levels = []Level{LevelError, LevelWarning, LevelNotice}

// maxAnnotations is how many annotations of one level GitHub shows of a step.
const maxAnnotations = 10

// The runner cuts a message at 4096 UTF-16 units.
const (
	maxMessageRunes  = 2000
	maxPropertyRunes = 250
)

// Annotation is a message at a place of the source. Its texts may be the test
// run's own; they are escaped.
type Annotation struct {
	File    string // slash-separated, relative to the checkout, "" for none
	Line    int    // 1-based, 0 for none
	Title   string
	Message string
}

// tally counts the annotations of one level. The last that fits is held back
// until it is known whether more follow: then their number takes its place.
type tally struct {
	count int
	held  Annotation
}

// Annotate shows one annotation. GitHub shows ten of a level: the first nine
// are written at once, and the tenth by [Actions.FlushAnnotations], which must
// be called once after the last one.
func (a *Actions) Annotate(level Level, annotation Annotation) error {
	if !slices.Contains(levels, level) {
		return fmt.Errorf("annotate: unknown level %q", level)
	}
	t := a.annotated[level]
	t.count++
	if t.count == maxAnnotations {
		t.held = annotation
	}
	a.annotated[level] = t
	if t.count < maxAnnotations {
		return a.issueCommand(workflowCommand(level, annotation))
	}
	return nil
}

// FlushAnnotations writes the tenth annotation of each level or, when there
// are more, how many are not shown.
func (a *Actions) FlushAnnotations() error {
	for _, level := range levels {
		t := a.annotated[level]
		if t.count < maxAnnotations {
			continue
		}
		last := t.held
		if rest := t.count - maxAnnotations + 1; rest > 1 {
			last = Annotation{Title: fmt.Sprintf("%d more", rest),
				Message: fmt.Sprintf("%d more annotations of this kind are not shown here; the job summary has them all.", rest)}
		}
		delete(a.annotated, level)
		if err := a.issueCommand(workflowCommand(level, last)); err != nil {
			return err
		}
	}
	return nil
}

// workflowCommand returns the workflow command of an annotation. Property values and
// message are escaped as
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
// and the toolkit's command.ts do: %, CR and LF, and in properties also : and
// the comma.
func workflowCommand(level Level, a Annotation) githubactions.Command {
	properties := githubactions.CommandProperties{}
	if file := cleanText(a.File, maxPropertyRunes*4); file != "" {
		properties["file"] = file
		if a.Line > 0 {
			properties["line"] = strconv.Itoa(a.Line)
		}
	}
	if title := text.Head(text.Line(a.Title), maxPropertyRunes); title != "" {
		properties["title"] = title
	}
	message := cleanText(a.Message, maxMessageRunes)
	if message == "" {
		message = "(no message)" // the runner drops an annotation without one
	}
	return githubactions.Command{Name: string(level), Properties: properties, Message: message}
}

// cleanText returns s cleaned, in at most limit characters.
func cleanText(s string, limit int) string { return strings.TrimSpace(text.Head(text.Clean(s), limit)) }
