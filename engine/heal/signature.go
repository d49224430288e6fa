package heal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/internal/token"
)

// SignatureOf names an element by what it is and what it says, in 16 hex digits: by
// its kind, its words, its test id and where it leads. It is the same wherever the
// element stands, so that what a person said of it holds on the next page, too.
func SignatureOf(f engine.Fingerprint) string {
	e := elementOf(&f)
	typ, _ := f.Attributes.Get("type")
	h := token.Mix(token.Seed, uint64(kindOf(strings.ToLower(f.Tag), f.Role, strings.ToLower(typ))))
	for _, s := range sayingsOf(&e, f.Tag == "input" || f.Tag == "textarea") {
		h = token.Mix(h, token.Hash(token.Seed, strings.Join(contentWords(s.text), " ")))
	}
	leads := uint64(0) // a sum, because attributes have no order
	for _, a := range f.Attributes[:min(len(f.Attributes), engine.MaxAttributes)] {
		if a.Name == "href" || slices.Contains(testIDs, a.Name) {
			leads += token.Hash(token.Hash(token.Seed, a.Name), a.Value)
		}
	}
	return fmt.Sprintf("%016x", token.Mix(h, leads))
}
