// Package workflowlint finds in GitHub workflows and actions what lets a
// stranger run code or take a token. Call Check.
//
// A rule looks at the text of one file. The rules have the names of zizmor's, so
// that its documentation and its comments to ignore a finding apply here, too.
package workflowlint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

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

// rule is one thing that can be wrong. Its check calls report for every place
// where it is, with what is there and what to write instead.
type rule struct {
	name  string
	why   string
	check func(d *document, report reporter)
}

type reporter func(at *yaml.Node, text, fix string)

// rules are sorted by gravity: first what lets a stranger run code here and now.
var rules = []rule{
	templateInjection, untrustedCheckout, githubEnv, selfHosted,
	artipacked, cachePoisoning, secretsInherit, excessivePermissions,
	persistCredentials, unpinnedUses, unpinnedImages,
}

// Rules returns the names of all rules, the gravest first.
func Rules() []string {
	names := make([]string, 0, len(rules))
	for _, r := range rules {
		names = append(names, r.name)
	}
	return names
}

// Check returns what is found in a workflow or in an action.yml whose checkout says
// nothing else. It fails as Checkout.Check does.
func Check(file string, text []byte) (Result, error) { return Checkout{}.Check(file, text) }

// Check returns what is found in a workflow or in an action.yml. It fails when
// the text is too large, no YAML, or neither of the two.
func (c Checkout) Check(file string, text []byte) (Result, error) {
	d, err := readDocument(text)
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", file, err)
	}
	d.checkout = c
	var result Result
	for _, r := range rules {
		r.check(d, func(at *yaml.Node, text, fix string) {
			if d.isIgnored(r.name, at.Line) {
				result.Ignored++
				return
			}
			result.Findings = append(result.Findings, Finding{Rule: r.name, File: file, Line: at.Line, Column: at.Column, Text: text, Why: r.why, Fix: fix})
		})
	}
	slices.SortStableFunc(result.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Text, b.Text))
	})
	result.Findings = slices.Compact(result.Findings) // an alias leads to one place twice
	return result, nil
}

// ignoreComment is a comment that switches rules off for its line, or for the
// line below when it stands alone. zizmor's comments are understood as well.
var ignoreComment = lazyregexp.New(`#.*\b(?:breadcrumb|zizmor):\s*ignore\[([^\]]*)\]`)

// isIgnored reports whether a comment switches a rule off for a line, from 1.
func (d *document) isIgnored(rule string, line int) bool {
	if line < 1 || line > len(d.lines) {
		return false
	}
	return isNamed(d.lines[line-1], rule) ||
		line > 1 && strings.HasPrefix(strings.TrimLeft(d.lines[line-2], " \t-"), "#") && isNamed(d.lines[line-2], rule)
}

// isNamed reports whether the comment of a line names a rule. zizmor's artipacked is
// also the rule persist-credentials here.
func isNamed(line, rule string) bool {
	m := ignoreComment.FindStringSubmatch(line)
	return m != nil && slices.ContainsFunc(strings.Split(m[1], ","), func(name string) bool {
		name = strings.TrimSpace(name)
		return name == rule || name == "artipacked" && rule == persistCredentials.name
	})
}
