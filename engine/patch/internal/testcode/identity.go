package testcode

import (
	"path"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// Identity is what is known of the test that was healed.
type Identity struct {
	File  string   // as reported, may be empty
	Names []string // title path, outermost first; the last is the test's own

	Scenario *Scenario // of a test that is generated from a feature file, else nil
}

var (
	placeSuffix = lazyregexp.New(`(?::\d+){1,2}$`)
	fileLike    = lazyregexp.New(`(?i)\.(?:[cm]?[jt]sx?|py|java|cs|go)$`)
)

// Identify returns the identity of a healed test, by its result when there is one
// and else by its id.
func Identify(h engine.HealEvent, t *engine.TestResult) Identity {
	id := ParseID(h.TestID)
	if t == nil {
		return id
	}
	if t.File != "" {
		id.File = t.File
	}
	named := ParseID(engine.NewTestID(t.Name))
	if len(id.Names) == 0 || len(named.Names) > len(id.Names) {
		id.Names = named.Names
	}
	if last := len(id.Names) - 1; last >= 0 && t.Environment != "" { // the source does not have it
		id.Names[last] = strings.TrimSuffix(id.Names[last], " ["+t.Environment+"]")
	}
	return id
}

// ParseID splits a test id of the forms "path › suite › title" and
// "path::class::name".
func ParseID(testID engine.TestID) Identity {
	var id Identity
	parts := testID.Segments()
	for i, p := range parts {
		p = strings.TrimSpace(p)
		place := placeSuffix.ReplaceAllString(p, "")
		switch {
		case p == "":
		case i <= 1 && id.File == "" && len(id.Names) <= 1 && fileLike.MatchString(place) && len(parts) > 1:
			id.File, id.Names = strings.ReplaceAll(place, `\`, "/"), nil
		default:
			id.Names = append(id.Names, p)
		}
	}
	if whole := string(testID); id.File == "" && len(parts) == 1 && fileLike.MatchString(whole) && path.Ext(whole) != "" && strings.Contains(whole, "/") {
		id.File, id.Names = whole, nil
	}
	return id
}

// Title returns the test's own title, "" when unknown.
func (id Identity) Title() string {
	if len(id.Names) == 0 {
		return ""
	}
	return id.Names[len(id.Names)-1]
}

// functionName returns the name of the test's function: the title without
// parameters, package and class.
func (id Identity) functionName() string {
	name := id.Title()
	if i := strings.IndexAny(name, "[("); i >= 0 {
		name = name[:i]
	}
	name = strings.TrimSpace(name)
	return name[strings.LastIndexAny(name, ".#$")+1:]
}

// Nobody is the identity of no test. With it, FindBodies finds every test as
// another one.
var Nobody = Identity{Names: []string{"\x00"}}
