package setup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/setup/detect"
)

// Stray is a step with Breadcrumb that is red whatever becomes of its tests: it reads the
// settings file, which names reports of tests that its job, or its leg, does not run.
type Stray struct {
	File, Job string
	Line      int
	Reports   []string // what is named and never there
	Leg       bool     // each leg of its job runs other tests
	Own       string   // what to write for junit in the step, "" where no one text tells it
}

// String says what is wrong and what to write.
func (s Stray) String() string {
	own := "junit: with the reports of its own tests"
	if s.Own != "" {
		own = "junit: " + s.Own
	}
	writer := "its job does not write"
	if s.Leg {
		writer = "no leg of its job writes all of"
	}
	return fmt.Sprintf("%s line %d is red even when all tests pass: it waits for the reports that %s names, and %s %s; give the step %s, and traces and heal-events likewise",
		s.File, s.Line, SettingsFile, writer, strings.Join(s.Reports, ", "), own)
}

// Strays returns the steps of a checkout's workflows that judge by reports which their own
// job does not write.
func Strays(p *detect.Checkout) []Stray {
	found := findExisting(p, p.Suites(""))
	return found.strays(p)
}

func (r *existing) strays(p *detect.Checkout) (all []Stray) {
	var file struct{ JUnit yaml.Node }
	if err := yaml.Unmarshal([]byte(p.Text(SettingsFile)), &file); err != nil || file.JUnit.IsZero() {
		return nil
	}
	globs := readGlobs(file.JUnit)
	var run []detect.Suite // by steps that are known, so that others may yet run the rest
	for _, t := range r.tests {
		run = append(run, t.suites...)
	}
	for _, judge := range r.judges {
		sameJob := func(at Add) bool { return at.File == judge.at.File && at.Job == judge.at.Job }
		if judge.told.JUnit != "" || judge.told.Config != "" || slices.ContainsFunc(r.fetches, sameJob) {
			continue // its reports are told, or come from elsewhere
		}
		s := Stray{File: judge.at.File, Job: judge.at.Job, Line: judge.at.Line}
		legs := [][]detect.Suite{nil}
		for _, t := range r.tests {
			switch {
			case !sameJob(t.at):
			case t.legs.key == "":
				for i := range legs {
					legs[i] = append(slices.Clip(legs[i]), t.suites...)
				}
			case !s.Leg:
				shared := legs[0]
				s.Leg, legs = true, nil
				for _, leg := range t.legs.suites {
					legs = append(legs, slices.Concat(shared, leg))
				}
				if own, ok := t.legs.ownResults(); ok && len(shared) == 0 {
					s.Own = joinGlobs(own, ".", settingKeys[0].of)
				}
			default: // two steps with legs of their own
				return all
			}
		}
		for _, leg := range legs {
			for _, glob := range globs {
				if len(leg) > 0 && !findsReport(glob, leg) && findsReport(glob, run) && !slices.Contains(s.Reports, glob) {
					s.Reports = append(s.Reports, glob)
				}
			}
		}
		if len(s.Reports) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// findsReport reports whether a glob finds a report of one of the suites.
func findsReport(glob string, suites []detect.Suite) bool {
	glob = strings.TrimSpace(glob)
	return slices.ContainsFunc(suites, func(s detect.Suite) bool {
		return slices.ContainsFunc(s.Reports, func(file string) bool {
			matches, err := doublestar.Match(glob, strings.ReplaceAll(file, "**", "x"))
			return glob == file || err == nil && matches
		})
	})
}
