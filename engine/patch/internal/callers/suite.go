package callers

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/testcode"
)

// Suite is tests in a checkout. It remembers what does not depend on the literal that
// is traced, so that of a run each file is looked at once.
type Suite struct {
	tree  *checkout.Tree
	tests []engine.TestResult

	files    [][]string          // the files of each test; where the run does not name one, those with a test of that name
	testsOf  map[string][]int    // the tests of each of these files
	reaching map[string][]string // those of these files that reach a file
	own      map[bodyOf][]source.Span
	others   map[string][]source.Span // the tests of a file
	computes map[string]bool          // whether a file may compute the name of a member
	reaches  map[string]reach         // of a file

	classes    map[reach]*classes
	classFiles int // of all classes
}

// reach stands for the files that a test file reaches: of two test files that reach the
// same it is the same.
type reach [sha256.Size]byte

// maxClassFiles bounds for how many files, each as often as classes are of it, classes are
// remembered.
const maxClassFiles = 20_000

// bodyOf names a test in a file.
type bodyOf struct {
	test int
	file string
}

// NewSuite returns the suite of the tests.
func NewSuite(tree *checkout.Tree, tests []engine.TestResult) *Suite {
	return &Suite{tree: tree, tests: tests, own: map[bodyOf][]source.Span{}, others: map[string][]source.Span{}, computes: map[string]bool{},
		reaches: map[string]reach{}, classes: map[reach]*classes{}}
}

// Trim is [checkout.Tree.Trim] for the suite's tree, and forgets what it remembers of
// these files.
func (s *Suite) Trim() {
	if s.tree.Trim() {
		s.classes, s.classFiles = map[reach]*classes{}, 0
	}
}

// reachOf returns what stands for the files that a file reaches.
func (s *Suite) reachOf(file string) reach {
	got, ok := s.reaches[file]
	if !ok {
		files := slices.Sorted(slices.Values(s.tree.ReachableFrom(file)))
		got = sha256.Sum256([]byte(strings.Join(files, "\x00")))
		s.reaches[file] = got
	}
	return got
}

// classesOf returns the classes of the files that a test file reaches, nil when one of
// them cannot be read.
func (s *Suite) classesOf(test *source.File) *classes {
	set := s.reachOf(test.Path)
	if got, ok := s.classes[set]; ok {
		return got
	}
	var files []*source.File
	for _, path := range slices.Sorted(slices.Values(s.tree.ReachableFrom(test.Path))) {
		src, err := s.tree.Load(path)
		if err != nil {
			return nil
		}
		files = append(files, src)
	}
	if s.classFiles += len(files); s.classFiles > maxClassFiles {
		s.classes, s.classFiles = map[reach]*classes{}, len(files)
	}
	c := s.newClasses(files)
	s.classes[set] = c
	return c
}

// Prepare finds the files of the tests. It forgets files, see Trim: call it before any
// file is loaded whose pointer is kept.
func (s *Suite) Prepare() {
	if s.reaching != nil {
		return
	}
	s.findFiles(s.Trim)
	s.testsOf, s.reaching = map[string][]int{}, map[string][]string{}
	for i, files := range s.files {
		for _, file := range files {
			if s.testsOf[file] == nil {
				for _, reached := range s.tree.ReachableFrom(file) {
					s.reaching[reached] = append(s.reaching[reached], file)
				}
			}
			s.testsOf[file] = append(s.testsOf[file], i)
		}
	}
}

// testsReaching returns the tests whose files reach a file, in their order.
func (s *Suite) testsReaching(file string) []int {
	var tests []int
	for _, own := range s.reaching[file] {
		tests = append(tests, s.testsOf[own]...)
	}
	slices.Sort(tests)
	return slices.Compact(tests)
}

// findFiles sets the files of the tests, and calls trim where no file is in use.
func (s *Suite) findFiles(trim func()) {
	s.files = make([][]string, len(s.tests))
	unknown := map[string][]int{}
	for i, test := range s.tests {
		if id := testcode.IdentifyIn(s.tree, engine.HealEvent{TestID: test.ID}, &test); id.Scenario != nil {
			s.files[i] = testcode.StepFilesOf(s.tree, id)
			trim()
			continue
		}
		if file, err := testcode.PathOf(s.tree, engine.HealEvent{TestID: test.ID}, &test); err == nil && file != "" {
			s.files[i] = []string{file}
			continue
		}
		for _, file := range testcode.FilesNaming(s.tree, test) {
			unknown[file] = append(unknown[file], i)
		}
		trim()
	}
	for _, file := range slices.Sorted(maps.Keys(unknown)) {
		trim()
		src, err := s.tree.Load(file)
		if err != nil {
			continue
		}
		for _, i := range unknown[file] {
			if own := s.bodiesOf(src, s.tests[i]).Own; len(own) > 0 {
				s.files[i] = append(s.files[i], file)
				s.own[bodyOf{i, file}] = own
			}
		}
	}
}

// bodiesIn returns the code of a test in a file.
func (s *Suite) bodiesIn(src *source.File, i int) []source.Span {
	key := bodyOf{i, src.Path}
	own, ok := s.own[key]
	if !ok {
		own = s.bodiesOf(src, s.tests[i]).Own
		s.own[key] = own
	}
	return own
}

// testsIn returns the code of the tests of a file.
func (s *Suite) testsIn(src *source.File) []source.Span {
	others, ok := s.others[src.Path]
	if !ok {
		others = testcode.FindBodies(src, testcode.Nobody).Others
		s.others[src.Path] = others
	}
	return others
}

// mayCompute reports whether a file may compute the name of a member.
func (s *Suite) mayCompute(file string) bool {
	computes, ok := s.computes[file]
	if !ok {
		computes = mayComputeName(s.tree.Bytes(file))
		s.computes[file] = computes
	}
	return computes
}
