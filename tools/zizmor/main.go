// Command zizmor compares our rules for workflows with zizmor's, on zizmor's own test
// data: go run ./tools/zizmor DIR, where DIR is a checkout of its repository. It ends
// with 1 when there is a difference that reasons.go does not know.
package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./tools/zizmor DIR")
		os.Exit(2)
	}
	if err := run(os.Stdout, os.DirFS(os.Args[1])); err != nil {
		fmt.Fprintln(os.Stderr, "zizmor:", err)
		os.Exit(1)
	}
}

// run compares on a checkout of zizmor's repository and writes the two tables of README.md.
func run(w io.Writer, repository fs.FS) error {
	expected, err := readExpectations(repository)
	if err != nil {
		return err
	}
	if len(expected) == 0 {
		return errors.New("no test of zizmor's could be read: is this a checkout of its repository?")
	}
	c, err := compare(repository, expected)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d files that zizmor's tests name, %d of them workflows and actions\n\n", len(expected), c.files)
	fmt.Fprintln(w, "| zizmor's rule | places both find | only zizmor | only we |\n|---|--:|--:|--:|")
	for _, rule := range slices.Sorted(maps.Keys(c.counts)) {
		n := c.counts[rule]
		fmt.Fprintf(w, "| `%s` | %d | %d | %d |\n", rule, n.both, n.theirs, n.ours)
	}
	fmt.Fprintln(w, "\n| only | rule | file | lines | why |\n|---|---|---|---|---|")
	unknown := 0
	for i := 0; i < len(c.differences); {
		d, lines := c.differences[i], ""
		for ; i < len(c.differences) && c.differences[i].isBeside(d); i++ {
			lines += fmt.Sprintf(" %d", c.differences[i].line)
		}
		side, why := "zizmor", reasonFor(d)
		if d.ours {
			side = "we"
		}
		if why == "" {
			unknown++
			why = "unknown " + d.text
		}
		fmt.Fprintf(w, "| %s | `%s` | %s |%s | %s |\n", side, d.rule, d.file, lines, why)
	}
	if unknown > 0 {
		return fmt.Errorf("%d differences that reasons.go does not know", unknown)
	}
	return nil
}

// isBeside reports whether two differences are of one kind in one file.
func (d difference) isBeside(other difference) bool {
	return d.rule == other.rule && d.file == other.file && d.ours == other.ours
}
