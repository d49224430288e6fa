package patch

import (
	"slices"

	"github.com/breadcrumb/action/engine/patch/internal/callers"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// dropUnused takes out what stands in code that the test does not run.
func (s *scope) dropUnused(all *searchResult) {
	mayRun := s.runs()
	if mayRun == nil {
		return
	}
	used := filterPlaces(all.shared, func(x hit) bool {
		if x.constant == "" {
			return mayRun(x.in, x.literal)
		}
		return slices.ContainsFunc(x.uses, func(u callAt) bool { return mayRun(u.in, u.open) })
	})
	if len(used) > 0 {
		all.shared = used
		all.sharedCompeting = filterPlaces(all.sharedCompeting, func(m miss) bool { return mayRun(m.in, m.token) })
	}
}

// newRunner returns what knows the classes of what the test calls, nil where that is not
// known.
func (s *scope) newRunner() *callers.Runner {
	if len(s.tests) != 1 {
		return nil
	}
	return s.suite.Runner(s.test, s.testBodies(s.test, true))
}

// runs returns what tells whether the test may run the code at a token, nil where that
// cannot be told of any.
func (s *scope) runs() func(in *source.File, token int) bool {
	var runners []*callers.Runner
	for _, test := range s.tests {
		bodies := s.testBodies(test, true)
		isSuite := func(i int) bool { return bodies.InOwn(test.Tokens[i].Start) }
		if len(bodies.Own) == 1 && slices.ContainsFunc(test.Idents["suite"], isSuite) {
			return nil // testify runs methods that are in another file
		}
		runner := s.suite.Runner(test, bodies)
		if runner == nil {
			return nil
		}
		runners = append(runners, runner)
	}
	return func(in *source.File, token int) bool {
		for i, runner := range runners {
			reached := len(runners) == 1 || slices.Contains(s.tree.ReachableFrom(s.tests[i].Path), in.Path)
			if reached && runner.MayRun(in, token) {
				return true
			}
		}
		return false
	}
}
