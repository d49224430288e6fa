package ci

import (
	"bytes"
	"io/fs"
	"strings"

	"github.com/hmarr/codeowners"
)

// ownerFiles are the places GitHub reads CODEOWNERS from, in its order.
var ownerFiles = []string{".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"}

// owners says who looks after a file.
type owners struct{ rules codeowners.Ruleset }

// readOwners reads the checkout's CODEOWNERS. A file that is missing or cannot
// be read names nobody.
func readOwners(source fs.FS) owners {
	for _, name := range ownerFiles {
		text, err := readSource(source, name)
		if err != nil {
			continue
		}
		rules, err := codeowners.ParseFile(bytes.NewReader(text))
		if err != nil {
			return owners{}
		}
		return owners{rules}
	}
	return owners{}
}

// of returns the owners of file, a space between them, "" for none.
func (o owners) of(file string) string {
	if file == "" {
		return ""
	}
	rule, err := o.rules.Match(file)
	if err != nil || rule == nil {
		return ""
	}
	names := make([]string, 0, len(rule.Owners))
	for _, owner := range rule.Owners {
		names = append(names, owner.String())
	}
	return strings.Join(names, " ")
}
