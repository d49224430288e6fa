package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// allowed are the licences, by SPDX's names, whose conditions a program under Apache-2.0
// keeps when it passes their texts on. Copyleft of any strength is not among them.
var allowed = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "Unlicense", "Zlib", patents}

// patents is what licensecheck calls the grant beside Go's licence, which SPDX has no
// name for.
const patents = "GooglePatentsFile"

// knownShare is how much of a licence file's words, in percent, must be those of licences
// that are known.
const knownShare = 75

// exception is a licence file that a person has read, because it is not made of texts
// that are known.
type exception struct {
	module, file string
	lists        string // a licence that it lists and that is not allowed
	of           string // the module that this is of, which must not be linked; "" for pages
}

var exceptions = []exception{
	// The project's pages are under a licence of their own.
	{module: "github.com/modelcontextprotocol/go-sdk", file: "LICENSE", lists: "CC-BY-4.0"},
	// musl's copyright file tells in words what its parts are under: MIT and BSD.
	{module: "modernc.org/libc", file: "LICENSE-3RD-PARTY.md"},
	// SQLite is in the public domain, in words of its own.
	{module: "modernc.org/sqlite", file: "LICENSE-SQLITE"},
	// Where the picture of the project's page is from.
	{module: "modernc.org/memory", file: "LICENSE-LOGO"},
	// The notices of all that the project's own tools and tests need as well.
	{module: "modernc.org/sqlite", file: "LICENSE-3RD-PARTY.md", lists: "MPL-2.0", of: "github.com/hashicorp/golang-lru/v2"},
}

// check sets the modules' licences. The error names every module without a licence, and
// every file of one that is not known to ask no more than is allowed.
func check(modules []module) error {
	var refused []error
	for i := range modules {
		m := &modules[i]
		licensed := false
		for _, f := range m.files {
			found := licensecheck.Scan([]byte(f.text))
			read := exceptionOf(*m, f)
			for _, match := range found.Match {
				switch {
				case slices.Contains(allowed, match.ID):
					m.licences = append(m.licences, match.ID)
				case match.ID != read.lists || isLinked(modules, read.of):
					refused = append(refused, fmt.Errorf("%s %s: %s has %s, which is not allowed", m.path, m.version, f.name, match.ID))
				}
			}
			if !f.isLicence() {
				continue
			}
			licensed = true
			if found.Percent < knownShare && read == (exception{}) {
				refused = append(refused, fmt.Errorf("%s %s: %s is known by %.0f %% only: read it", m.path, m.version, f.name, found.Percent))
			}
		}
		if !licensed {
			refused = append(refused, fmt.Errorf("%s %s: no licence", m.path, m.version))
		}
		slices.Sort(m.licences)
		m.licences = slices.Compact(m.licences)
	}
	return errors.Join(refused...)
}

// exceptionOf returns the exception that a file is, the zero value where it is none.
func exceptionOf(m module, f licenceFile) exception {
	i := slices.IndexFunc(exceptions, func(e exception) bool { return e.module == m.path && e.file == f.name })
	if i < 0 {
		return exception{}
	}
	return exceptions[i]
}

func isLinked(modules []module, path string) bool {
	return slices.ContainsFunc(modules, func(m module) bool { return m.path == path })
}

// isLicence reports whether a file holds a licence, and not a notice or patents beside one.
func (f licenceFile) isLicence() bool {
	name := strings.ToLower(f.name[strings.LastIndexByte(f.name, '/')+1:])
	return !strings.HasPrefix(name, "notice") && !strings.HasPrefix(name, "patents")
}
