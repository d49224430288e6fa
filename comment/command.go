package comment

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Command is one line of a comment that asks Breadcrumb to do something. Its
// texts are hostile.
type Command struct {
	Verb string // lower case, "" for none
	Rest string // what follows it, without white space around
}

const (
	commandWord = "/breadcrumb"
	maxCommands = 10
	maxRest     = 2048 // bytes
)

// Commands returns the commands of a comment, the first ten. A command stands at
// the start of a line, outside fenced code, quotes and HTML comments.
func Commands(body string) []Command {
	var found []Command
	var at markdownContext
	for line := range strings.Lines(strings.ReplaceAll(body, "\r\n", "\n")) {
		line = strings.TrimRight(line, "\n")
		if at.skipsLine(line) {
			continue
		}
		rest, ok := strings.CutPrefix(line, commandWord)
		if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
			continue
		}
		if found = append(found, parseCommand(rest)); len(found) == maxCommands {
			break
		}
	}
	return found
}

func parseCommand(rest string) Command {
	verb, rest, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(rest, "\t", " ")), " ")
	c := Command{Verb: strings.ToLower(verb), Rest: strings.TrimSpace(rest)}
	if len(c.Rest) > maxRest {
		c.Rest = ""
	}
	return c
}

// IDs returns the words after the verb in lower case, without the backticks
// people set ids in.
func (c Command) IDs() []string {
	var ids []string
	for word := range strings.FieldsSeq(strings.ReplaceAll(c.Rest, ",", " ")) {
		ids = append(ids, strings.ToLower(strings.Trim(word, "`")))
	}
	return ids
}

// Test returns the test that the rest names, without backticks around it; ""
// when it is no plain text.
func (c Command) Test() string {
	test := c.Rest
	for len(test) > 1 && test[0] == '`' && test[len(test)-1] == '`' {
		test = test[1 : len(test)-1]
	}
	test = strings.TrimSpace(test)
	if !utf8.ValidString(test) || strings.ContainsFunc(test, unicode.IsControl) {
		return ""
	}
	return test
}

// markdownContext is what the lines before leave open in a comment's Markdown.
type markdownContext struct {
	fence  string // what opened the code block, "" outside of one
	hidden bool   // inside an HTML comment
	quoted bool   // inside a quoted paragraph
}

// skipsLine takes in the next line and reports whether a command on it does not
// count.
func (p *markdownContext) skipsLine(line string) bool {
	if p.fence != "" {
		p.closeFence(line)
		return true
	}
	if p.hidden {
		p.hidden = !strings.Contains(line, "-->")
		return true
	}
	text := strings.TrimLeft(line, " ")
	switch {
	case len(line)-len(text) > 3:
		return true
	case strings.HasPrefix(text, ">"):
		p.quoted = true
		return true
	case strings.TrimSpace(text) == "":
		p.quoted = false
		return true
	case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"):
		p.fence, p.quoted = text[:runLength(text)], false
		return true
	}
	if at := strings.LastIndex(line, "<!--"); at >= 0 && !strings.Contains(line[at:], "-->") {
		p.hidden = true
		return true
	}
	return p.quoted
}

func (p *markdownContext) closeFence(line string) {
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) > 3 || text == "" || text[0] != p.fence[0] {
		return
	}
	if n := runLength(text); n >= len(p.fence) && strings.TrimSpace(text[n:]) == "" {
		p.fence = ""
	}
}

// runLength returns how often s begins with its first character.
func runLength(s string) int { return len(s) - len(strings.TrimLeft(s, s[:1])) }
