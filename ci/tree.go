package ci

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// maxWalkEntries bounds the listing of a checkout.
const maxWalkEntries = 50_000

var errTooMany = errors.New("too many files")

// locate completes the files of failing and flaky tests. A report often names a file by
// its path inside the test folder; where exactly one source file of the
// checkout ends like it, that one is meant, and links and annotations find it.
func locate(results []engine.TestResult, source fs.FS) {
	var tree []string
	for i := range results {
		r := &results[i]
		if r.File == "" || !r.Final().Status.Failing() && !r.Flaky() {
			continue
		}
		if _, err := fs.Stat(source, r.File); err == nil {
			continue
		}
		if tree == nil {
			tree, _ = sourceFiles(source)
		}
		if found := bySuffix(r.File, tree); len(found) == 1 {
			r.File = found[0]
		}
	}
}

// bySuffix returns the files of tree whose path ends in name.
func bySuffix(name string, tree []string) []string {
	var found []string
	for _, file := range tree {
		if file == name || strings.HasSuffix(file, "/"+name) {
			found = append(found, file)
		}
	}
	return found
}

// looksLikeSource reports whether name ends like a source file.
func looksLikeSource(name string) bool {
	switch path.Ext(name) {
	case ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".py", ".java", ".kt", ".cs", ".go", ".rb", ".php", ".feature":
		return true
	}
	return false
}

// sourceFiles lists the source files of a checkout and says whether it got
// through all of it.
func sourceFiles(source fs.FS) (files []string, whole bool) {
	entries := 0
	err := fs.WalkDir(source, ".", func(name string, d fs.DirEntry, err error) error {
		if entries++; entries > maxWalkEntries {
			return errTooMany
		}
		if err != nil {
			return err
		}
		if d.IsDir() {
			if noSource(d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() && looksLikeSource(name) {
			files = append(files, name)
		}
		return nil
	})
	return files, err == nil
}

// noSource reports whether a folder of that name holds what others wrote or a
// build made.
func noSource(folder string) bool {
	switch folder {
	case ".git", "node_modules", "vendor", "dist", "build", "target", "bin", "obj":
		return true
	}
	return false
}

// made reports whether a file lies in a folder that sourceFiles does not list.
func made(file string) bool {
	return slices.ContainsFunc(strings.Split(path.Dir(file), "/"), noSource)
}
