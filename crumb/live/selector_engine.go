package live

import (
	_ "embed"
	"encoding/json"
	"strings"
)

//go:embed selector_engine.js
var selectorEngine string

// SelectorEngine returns the source of a selector engine, as Playwright's selectors.register
// takes it, that reads pages. Registered as a content script under its name, it runs where
// Playwright looks for elements itself, apart from the page's own scripts.
func SelectorEngine(name string) string {
	quoted, _ := json.Marshal(name) // a string can be marshalled
	return strings.NewReplacer("COLLECT", strings.TrimSpace(collectScript), "NAME", string(quoted)).Replace(selectorEngine)
}
