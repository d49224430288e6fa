// Package manpage writes a command's manual page from the same words and tables
// as its help. Call Write.
//
// The page uses the man macros of groff_man(7) that mandoc knows, too.
package manpage

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Header is what a page says of itself.
type Header struct {
	Date    string // of the text, "2006-01-02"
	Version string
	After   []Section // after the commands
}

// Section is a section in words: paragraphs parted by blank lines, or terms with
// what they mean.
type Section struct {
	Title string // upper case
	Text  string
	Terms [][2]string
}

// Write writes the page of a command with all below it in section 1. The error
// is w's.
func Write(w io.Writer, root *cobra.Command, h Header) error {
	p := &page{}
	p.writeLine(`.TH %s 1 %s "%s %s" "User Commands"`, strings.ToUpper(root.Name()), h.Date, root.Name(), escape(h.Version))
	p.writeSection("NAME")
	p.writeLine(`%s \- %s`, escape(root.Name()), escape(changeFirst(root.Short, unicode.ToLower)))
	p.writeSection("SYNOPSIS")
	p.writeLine(`.B %s`, escape(root.Name()))
	p.writeLine(`.I command`)
	p.writeLine(`.RI [ flag ...]`)
	p.writeSection("DESCRIPTION")
	p.writeParagraphs(root.Long)
	p.writeSection("COMMANDS")
	for _, cmd := range visibleCommands(root) {
		p.writeCommand(cmd)
	}
	for _, s := range h.After {
		p.writeSection(s.Title)
		p.writeParagraphs(s.Text)
		for _, t := range s.Terms {
			p.writeLine(".TP")
			p.writeLine(`.B %s`, escape(t[0]))
			p.writeLine("%s", text(t[1]))
		}
	}
	_, err := io.WriteString(w, p.out.String())
	return err
}

// visibleCommands returns the commands below cmd that a page tells of, depth first. One that
// is there for those below it only helps.
func visibleCommands(cmd *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, sub := range cmd.Commands() {
		if sub.Hidden || sub.Name() == "help" {
			continue
		}
		if sub.Runnable() && !sub.HasAvailableSubCommands() {
			all = append(all, sub)
		}
		all = append(all, visibleCommands(sub)...)
	}
	return all
}

// page is a page that is being written.
type page struct{ out strings.Builder }

func (p *page) writeLine(format string, args ...any) { fmt.Fprintf(&p.out, format+"\n", args...) }

func (p *page) writeSection(title string) { p.writeLine(".SH %s", escape(title)) }

// writeCommand writes one command: how it is used, what it does, flags, examples.
func (p *page) writeCommand(cmd *cobra.Command) {
	_, arguments, _ := strings.Cut(cmd.Use, " ")
	p.writeLine(".SS %s", strings.TrimSpace(escape(cmd.CommandPath()+" "+arguments)))
	p.writeParagraphs(cmp.Or(cmd.Long, cmd.Short+"."))
	cmd.InheritedFlags().VisitAll(p.writeFlag)
	cmd.NonInheritedFlags().VisitAll(p.writeFlag)
	if cmd.Example != "" {
		p.writeLine(".PP")
		p.writeLine("Examples:")
		p.writeLine(".PP")
		p.writeLine(".RS 4")
		p.writeLine(".nf")
		for example := range strings.Lines(cmd.Example) {
			p.writeLine("%s", text(strings.TrimSpace(example)))
		}
		p.writeLine(".fi")
		p.writeLine(".RE")
	}
}

// writeFlag writes one flag.
func (p *page) writeFlag(f *pflag.Flag) {
	if f.Hidden || f.Name == "help" {
		return
	}
	value, usage := pflag.UnquoteUsage(f)
	p.writeLine(".TP")
	if value == "" {
		p.writeLine(`.B \-\-%s`, escape(f.Name))
	} else {
		p.writeLine(`.BI \-\-%s " %s"`, escape(f.Name), escape(value))
	}
	if f.DefValue != "" && f.DefValue != "[]" && f.DefValue != "false" {
		usage += fmt.Sprintf(" (default %s)", f.DefValue)
	}
	p.writeLine("%s.", text(strings.TrimSuffix(changeFirst(usage, unicode.ToUpper), ".")))
}

// writeParagraphs writes text whose paragraphs are parted by blank lines. Lines that
// are indented stay as they are.
func (p *page) writeParagraphs(words string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(words), "\n\n") {
		if i > 0 {
			p.writeLine(".PP")
		}
		for line := range strings.Lines(paragraph) {
			if line = strings.TrimSpace(line); line != "" {
				p.writeLine("%s", text(line))
			}
		}
	}
}

// text returns words as a line that is no request.
func text(words string) string {
	out := escape(words)
	if strings.HasPrefix(out, ".") || strings.HasPrefix(out, "'") {
		return `\&` + out
	}
	return out
}

// escapes are how roff writes what it would take for its own.
var escapes = map[rune]string{
	'\\': `\e`, '-': `\-`, '\'': `\(aq`, '`': `\(ga`, '"': `\(dq`, '^': `\(ha`, '~': `\(ti`,
}

// escape returns words with what roff would take for its own escaped, and every
// character outside of ASCII by its number.
func escape(words string) string {
	var out strings.Builder
	for _, r := range words {
		switch escaped := escapes[r]; {
		case escaped != "":
			out.WriteString(escaped)
		case r > unicode.MaxASCII:
			fmt.Fprintf(&out, `\[u%04X]`, r)
		case r < ' ' && r != '\t':
			out.WriteByte(' ')
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

func changeFirst(words string, change func(rune) rune) string {
	runes := []rune(words)
	if len(runes) > 0 {
		runes[0] = change(runes[0])
	}
	return string(runes)
}
