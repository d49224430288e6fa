package junit

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pytest returns the node id of a pytest case: "tests/test_login.py::TestLogin::test_ok".
// classname holds the module, dotted, and the classes. The file attribute only
// helps where it is that module: for an inherited test it names the base
// class's file.
func (n names) pytest() string {
	name := clean(n.name)
	if n.class == "" {
		if moduleName.MatchString(name) {
			return strings.ReplaceAll(name, ".", "/") + ".py" // a module that could not be collected
		}
		return joinSegments(n.file, name)
	}
	module, classes := splitClass(clean(n.class), n.file)
	parts := append([]string{strings.ReplaceAll(module, ".", "/") + ".py"}, classes...)
	return strings.Join(append(parts, name), "::")
}

var moduleName = regexp.MustCompile(`^[\w-]+(?:\.[\w-]+)*$`)

// splitClass cuts "tests.test_login.TestLogin" into the module and its
// classes. Without a file that settles it, trailing segments that begin upper
// case are classes.
func splitClass(class, file string) (module string, classes []string) {
	if m := dotted(trimExt(file)); m != "" && (class == m || strings.HasPrefix(class, m+".")) {
		rest := strings.TrimPrefix(strings.TrimPrefix(class, m), ".")
		if rest == "" {
			return m, nil
		}
		return m, strings.Split(rest, ".")
	}
	parts := strings.Split(class, ".")
	cut := len(parts)
	for cut > 1 && upperFirst(parts[cut-1]) {
		cut--
	}
	return strings.Join(parts[:cut], "."), parts[cut:]
}

func upperFirst(s string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, "_"))
	return unicode.IsUpper(r)
}
