package organisation

import (
	"flag"
	"slices"
	"strconv"
	"strings"
)

// rule is what must hold whatever happens.
type rule string

const (
	ruleRuns       rule = "every run ends and is told"
	ruleGreen      rule = "a run whose tests all passed passes"
	ruleMissing    rule = "no test is missing that the tree does not have"
	ruleOlder      rule = "an older run lacks nothing that a newer one brought"
	ruleRegression rule = "a regression always blocks"
	ruleSelf       rule = "nobody excuses himself"
	ruleAlone      rule = "what is excused is excused without one's own runs, too"
	ruleComment    rule = "the newest run of a head has the last word"
	rulePerson     rule = "what a person decided stands"
	ruleReturn     rule = "who was released by hand comes back by a new failure"
	ruleHistory    rule = "nobody's history is lost"
	ruleEnter      rule = "two commits put a test into quarantine"
	ruleRelease    rule = "ten clean commits let a test out of quarantine"
	ruleHeld       rule = "a flake meets its quarantine"
	ruleRoom       rule = "quarantine is full only of tests inside"
	rulePulls      rule = "pull requests change nothing on the default branch"
	ruleFresh      rule = "judging on is judging from the start"
	ruleOrder      rule = "the order of arrival changes nothing"
)

// trait is what makes an organisation hard to serve, beside its steps.
type trait string

const (
	wrongClocks trait = "runners with a wrong clock"
	twoCalls    trait = "a workflow that is called twice"
	sameNames   trait = "two workflows with jobs of one name"
)

// promise is a way in which the product once broke rules.
type promise struct {
	row    int // of the list of what was once broken
	about  string
	rules  []rule  // that were broken
	kinds  []kind  // by these steps
	traits []trait // or in an organisation like this
	open   string  // why it is not kept yet: then its steps and traits are left out, and its rules where it has neither
}

// promises are what the product once did not keep.
var promises = []promise{
	{row: 1, about: "a snapshot behind a hundred artifacts", rules: []rule{ruleHistory}, kinds: []kind{clutter}},
	{row: 2, about: "legs counted as commits", rules: []rule{ruleEnter, ruleRelease, ruleHeld}},
	{row: 3, about: "a merge group as a witness", rules: []rule{ruleSelf, ruleAlone}, kinds: []kind{queuePulls}},
	{row: 4, about: "one comment for two workflows", rules: []rule{ruleComment}, traits: []trait{sameNames}},
	{row: 5, about: "one history for two calls", rules: []rule{ruleMissing}, traits: []trait{twoCalls}},
	{row: 6, about: "a runner's clock decides", rules: []rule{ruleHistory, rulePerson}, traits: []trait{wrongClocks}},
	{row: 7, about: "deadlocks on the server", rules: []rule{ruleRuns}, kinds: []kind{runTwoJobs}},
	{row: 8, about: "a room that nobody is in", rules: []rule{ruleRoom}},
	{row: 9, about: "a nightly on a commit that does not move", rules: []rule{ruleRelease}},
	{row: 10, about: "old evidence after expiry", rules: []rule{ruleEnter}},
	{row: 11, about: "a red rate of one's own", rules: []rule{ruleAlone}},
	{row: 12, about: "pull requests in the default branch's window", rules: []rule{rulePulls}},
	{row: 13, about: "an older run that ends later", rules: []rule{ruleComment}},
	{row: 14, about: "new names", rules: []rule{ruleHistory}, kinds: []kind{renameBranch, renameWorkflow}},
	{row: 15, about: "a hold that a merge loses", rules: []rule{rulePerson}, kinds: []kind{holdTest, releaseTest}},
	{row: 15, about: "a release that does not last", rules: []rule{ruleReturn}},
	{row: 16, about: "a branch that lacks what others gained", rules: []rule{ruleMissing}},
	{row: 16, about: "a run of an older commit that ends after a newer one", rules: []rule{ruleOlder}},
	{row: 17, about: "order inside a commit", rules: []rule{ruleOrder, ruleFresh, ruleGreen}},
}

var withRows = flag.String("rows", "", "promises to look at although they are not kept yet, as numbers with commas between")

// isOpen reports whether a rule, kind or trait waits for a promise to be kept.
func isOpen(what any) bool {
	for _, p := range promises {
		if p.open == "" || slices.Contains(strings.Split(*withRows, ","), strconv.Itoa(p.row)) {
			continue
		}
		left := false
		switch what := what.(type) {
		case rule:
			left = len(p.kinds)+len(p.traits) == 0 && slices.Contains(p.rules, what)
		case kind:
			left = slices.Contains(p.kinds, what)
		case trait:
			left = slices.Contains(p.traits, what)
		}
		if left {
			return true
		}
	}
	return false
}
