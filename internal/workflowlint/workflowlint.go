// Package workflowlint finds in GitHub workflows and actions what lets a
// stranger run code or take a token. Call Check.
//
// The rules are those of their kind that can be told from one file's text; they
// bear the names that zizmor gave them, so that its documentation and its
// comments to ignore a finding serve here, too.
package workflowlint

import (
	"cmp"
	"fmt"
	"slices"
)

// MaxBytes is the largest file that Check reads, GitHub's own bound for a
// workflow.
const MaxBytes = 512 << 10

// Finding is one place that should be changed.
type Finding struct {
	Rule   string // for example "template-injection"
	File   string // as Check was given it
	Line   int    // from 1
	Column int    // from 1, in characters
	Text   string // what is there; holds text of the file
	Why    string // what somebody could do with it
	Fix    string // what to write instead
}

// Result is what was found in one file.
type Result struct {
	Findings []Finding // by place
	Ignored  int       // findings that a comment in the file says to ignore
}

// rule is one idea of what is wrong. Its check returns findings without Rule
// and File.
type rule struct {
	name  string
	why   string
	check func(*document) []Finding
}

// rules has the gravest first: what lets a stranger run code here and now.
var rules = []rule{
	{"template-injection", "GitHub puts the text into the script before a shell reads it, so what is in it runs as code with the job's token and secrets", templateInjection},
	{"untrusted-checkout", "this event runs with the repository's token and secrets, and the checkout brings a stranger's code to it", untrustedCheckout},
	{"github-env", "a line in that file sets a variable such as LD_PRELOAD or a folder of programs for every later step", githubEnv},
	{"self-hosted-runner", "anybody's pull request or comment runs on a machine that keeps what it left behind, inside your network", selfHosted},
	{"artipacked", "before v6 the checkout leaves the token in .git/config, and the artifact takes it along for everybody who may read it", artipacked},
	{"cache-poisoning", "any job of the default branch can write this cache, and what it put there goes into what is published", cachePoisoning},
	{"secrets-inherit", "the called workflow gets every secret of this repository, not only those it needs", secretsInherit},
	{"excessive-permissions", "each step of a job can use all that its token may do, also an action or a dependency that was taken over", excessivePermissions},
	{"persist-credentials", "the checkout leaves the token on disk, where every later step of the job can read it", persistCredentials},
	{"unpinned-uses", "whoever can move a tag or branch of that repository runs code in this job, with its token and secrets", unpinnedUses},
	{"unpinned-images", "whoever can push to that registry runs code in this job, with its token and secrets", unpinnedImages},
}

// Rules returns the names of all rules, the gravest first.
func Rules() []string {
	names := make([]string, 0, len(rules))
	for _, r := range rules {
		names = append(names, r.name)
	}
	return names
}

// Check returns what is found in a workflow or in an action.yml. It fails when
// the text is too large, no YAML, or neither of the two.
func Check(file string, text []byte) (Result, error) {
	d, err := read(text)
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", file, err)
	}
	var result Result
	for _, r := range rules {
		for _, f := range r.check(d) {
			if d.ignored(r.name, f.Line) {
				result.Ignored++
				continue
			}
			f.Rule, f.File, f.Why = r.name, file, r.why
			result.Findings = append(result.Findings, f)
		}
	}
	slices.SortStableFunc(result.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Text, b.Text))
	})
	result.Findings = slices.Compact(result.Findings) // an alias leads to one place twice
	return result, nil
}
