package patch

import (
	"path"
	"regexp"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// identity is what is known of the test that was healed.
type identity struct {
	file  string   // as reported, may be empty
	names []string // title path, outermost first; the last is the test's own
}

var (
	placeSuffix = regexp.MustCompile(`(?::\d+){1,2}$`)
	fileLike    = regexp.MustCompile(`(?i)\.(?:[cm]?[jt]sx?|py|java|cs|go)$`)
)

// identify splits a test id of the forms "path › suite › title" and
// "path::class::name". A test result, when there is one, knows better.
func identify(h engine.HealEvent, t *engine.TestResult) identity {
	id := split(h.TestID)
	if t == nil {
		return id
	}
	if t.File != "" {
		id.file = t.File
	}
	named := split(t.Name)
	if len(id.names) == 0 || len(named.names) > len(id.names) {
		id.names = named.names
	}
	if last := len(id.names) - 1; last >= 0 && t.Environment != "" { // it is in the identity, not in the source
		id.names[last] = strings.TrimSuffix(id.names[last], " ["+t.Environment+"]")
	}
	return id
}

func split(testID string) identity {
	var id identity
	parts := strings.Split(testID, " › ")
	if len(parts) == 1 {
		parts = strings.Split(testID, "::")
	}
	for i, p := range parts {
		p = strings.TrimSpace(p)
		place := placeSuffix.ReplaceAllString(p, "")
		switch {
		case p == "":
		case i <= 1 && id.file == "" && len(id.names) <= 1 && fileLike.MatchString(place) && len(parts) > 1:
			id.file, id.names = strings.ReplaceAll(place, `\`, "/"), nil
		default:
			id.names = append(id.names, p)
		}
	}
	if id.file == "" && len(parts) == 1 && fileLike.MatchString(testID) && path.Ext(testID) != "" && strings.Contains(testID, "/") {
		id.file, id.names = testID, nil
	}
	return id
}

// own returns the test's own title, "" when unknown.
func (id identity) own() string {
	if len(id.names) == 0 {
		return ""
	}
	return id.names[len(id.names)-1]
}

// functionName returns the test's own name as an identifier: without
// parameters, package and class.
func (id identity) functionName() string {
	name := id.own()
	if i := strings.IndexAny(name, "[("); i >= 0 {
		name = name[:i]
	}
	name = strings.TrimSpace(name)
	if i := strings.LastIndexAny(name, ".#$"); i >= 0 {
		name = name[i+1:]
	}
	return name
}

// className matches a dotted class or module: shop.LoginTest, tests.test_login.
var className = regexp.MustCompile(`^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$`)

// classFiles returns the files a test's class may be kept in: pkg/Class.java,
// Class.cs, pkg/module.py with or without a class behind the module.
func classFiles(h engine.HealEvent, t *engine.TestResult) []string {
	var classes []string
	if t != nil {
		classes = append(classes, t.Class)
	}
	for _, text := range []string{h.TestID, strings.ReplaceAll(h.TestID, "#", ".")} {
		text, _, _ = strings.Cut(text, "(")
		text, _, _ = strings.Cut(text, "[")
		if i := strings.LastIndexByte(text, '.'); i > 0 {
			classes = append(classes, text[:i])
		}
	}
	var files []string
	for _, class := range classes {
		class, _, _ = strings.Cut(class, "$")
		class, _, _ = strings.Cut(class, "+")
		if !className.MatchString(class) {
			continue
		}
		dir := strings.ReplaceAll(class, ".", "/")
		files = append(files, dir+".java", path.Base(dir)+".cs", dir+".py")
		if path.Dir(dir) != "." {
			files = append(files, path.Dir(dir)+".py")
		}
	}
	return files
}
