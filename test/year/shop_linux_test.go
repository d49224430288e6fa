package year

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// suite are the tests of one commit: the titles of each file.
type suite struct {
	files  [][]string
	tests  int
	titled int // how many titles there ever were
	random *rand.Rand
}

func newSuite(tests int) *suite {
	const perFile = 25
	s := &suite{files: make([][]string, (tests+perFile-1)/perFile), tests: tests, random: rand.New(rand.NewPCG(25, 4))}
	for i := range tests {
		s.files[i/perFile] = append(s.files[i/perFile], s.invent())
	}
	return s
}

// invent returns a title that no test had before.
func (s *suite) invent() string {
	s.titled++
	return fmt.Sprintf("does thing %d of the shop", s.titled)
}

// change renames, adds and deletes some tests, as a day's work does. The suite stays as
// large as it is.
func (s *suite) change() {
	for range max(1, s.tests/1000) {
		file := s.random.IntN(len(s.files))
		s.files[file][s.random.IntN(len(s.files[file]))] = s.invent()
		file = s.random.IntN(len(s.files))
		if len(s.files[file]) > 1 {
			gone := s.random.IntN(len(s.files[file]))
			s.files[file] = slices.Delete(s.files[file], gone, gone+1)
			file = s.random.IntN(len(s.files))
			s.files[file] = append(s.files[file], s.invent())
		}
	}
}

// write writes the suite's sources and the report of a run of it into a directory, the
// report as at the time of the run. Some tests pass on the second attempt only, and those of
// broken do not pass.
func (s *suite) write(dir string, run, broken int, at time.Time) error {
	random := rand.New(rand.NewPCG(1, uint64(run)))
	report, place := strings.Builder{}, 0
	report.WriteString("<testsuites>")
	for number, titles := range s.files {
		file, source := fmt.Sprintf("tests/page%03d.spec.ts", number), strings.Builder{}
		fmt.Fprintf(&report, "<testsuite name=%q>", file)
		for line, title := range titles {
			fmt.Fprintf(&source, "test('%s', async ({ page }) => {});\n", title)
			fmt.Fprintf(&report, "<testcase name=%q classname=%q time=\"%.3f\">", title, file, 0.2+float64(place%40)/8+random.Float64()/5)
			switch {
			case place < broken:
				fmt.Fprintf(&report, `<failure message="expected %d" type="Error">at %s:%d:1</failure>`, place, file, line+1)
			case place%200 == 7 && random.IntN(12) == 0, random.IntN(20_000) == 0:
				fmt.Fprintf(&report, `<flakyFailure message="timed out" type="TimeoutError">at %s:%d:1</flakyFailure>`, file, line+1)
			}
			report.WriteString("</testcase>")
			place++
		}
		report.WriteString("</testsuite>")
		if err := writeFile(filepath.Join(dir, file), source.String()); err != nil {
			return err
		}
	}
	report.WriteString("</testsuites>")
	name := filepath.Join(dir, reportName)
	return errors.Join(writeFile(name, report.String()), os.Chtimes(name, at, at))
}

const reportName = "junit.xml"

func writeFile(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}
