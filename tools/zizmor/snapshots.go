package main

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The folders of zizmor's repository that are read, and the placeholder that stands for
// the file that a test gave to zizmor.
const (
	testsFolder = "crates/zizmor/tests/integration"
	dataFolder  = testsFolder + "/test-data"
	placeholder = "@@INPUT@@"
)

// finding is one finding of zizmor: its rule, its line, and the lines that it shows of the
// file, from 1.
type finding struct {
	rule              string
	line, first, last int
}

// expectation is what zizmor is known to say of one file of its test data: the sum of
// what its tests say, whatever persona they ask.
type expectation struct {
	file     string // below dataFolder
	findings []finding
}

var (
	testFunction = regexp.MustCompile(`(?m)^(?:async )?fn \w+`)
	inputOf      = regexp.MustCompile(`\.input\(\s*input_under_test\(\s*"([^"]+)"`)
	snapshotText = regexp.MustCompile(`(?s)@r?#*"(.*?)"#*\s*\)`)
	findingHead  = regexp.MustCompile(`(?m)^\s*(?:error|warning|info|help)\[([a-z-]+)\]: .*\n\s*--> (\S+?):(\d+):\d+`)
	shownLine    = regexp.MustCompile(`(?m)^\s*(\d+) +\|`)
)

// readExpectations returns what zizmor's tests expect of each file of its test data that
// one of them names, by file. Tests with a configuration of their own are left out.
func readExpectations(repository fs.FS) ([]expectation, error) {
	known := map[string]*expectation{}
	err := fs.WalkDir(repository, testsFolder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".rs" {
			return err
		}
		source, err := fs.ReadFile(repository, name)
		if err != nil {
			return err
		}
		readTests(string(source), known)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read zizmor's tests: %w", err)
	}
	all := make([]expectation, 0, len(known))
	for _, e := range known {
		all = append(all, *e)
	}
	slices.SortFunc(all, func(a, b expectation) int { return strings.Compare(a.file, b.file) })
	return all, nil
}

// readTests adds what the tests of one source file expect.
func readTests(source string, known map[string]*expectation) {
	starts := testFunction.FindAllStringIndex(source, -1)
	for i, start := range starts {
		end := endOf(i, starts, source)
		for _, check := range strings.Split(source[start[0]:end], "assert_snapshot!")[1:] {
			readSnapshot(check, known)
		}
	}
}

// readSnapshot adds what one call of zizmor is expected to print. What is printed in
// another form than for a terminal is left out.
func readSnapshot(check string, known map[string]*expectation) {
	at := snapshotText.FindStringSubmatchIndex(check)
	if at == nil {
		return
	}
	call, printed := check[:at[0]], check[at[2]:at[3]]
	input := inputOf.FindAllStringSubmatch(call, -1)
	if len(input) != 1 || strings.Contains(call, ".config(") || !strings.Contains(printed, "finding") {
		return
	}
	add := func(file string, found ...finding) {
		if known[file] == nil {
			known[file] = &expectation{file: file}
		}
		for _, f := range found {
			if !slices.Contains(known[file].findings, f) {
				known[file].findings = append(known[file].findings, f)
			}
		}
	}
	name := input[0][1]
	if ext := path.Ext(name); ext == ".yml" || ext == ".yaml" {
		add(name)
	}
	heads := findingHead.FindAllStringSubmatchIndex(printed, -1)
	for i, head := range heads {
		end := endOf(i, heads, printed)
		file := path.Clean(strings.Replace(printed[head[4]:head[5]], placeholder, name, 1))
		line, _ := strconv.Atoi(printed[head[6]:head[7]]) // digits
		f := finding{rule: printed[head[2]:head[3]], line: line, first: line, last: line}
		for _, shown := range shownLine.FindAllStringSubmatch(printed[head[1]:end], -1) {
			line, _ := strconv.Atoi(shown[1])
			f.first, f.last = min(f.first, line), max(f.last, line)
		}
		add(file, f)
	}
}

// endOf returns where a part of a text ends: where the next one starts.
func endOf(i int, starts [][]int, text string) int {
	if i+1 < len(starts) {
		return starts[i+1][0]
	}
	return len(text)
}
