package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// check is one thing that must be so before anything of a release is pushed.
type check struct {
	name string
	do   func(context.Context) error // the error says what to do
}

// preflight looks at each setting that a release rests on, and at the version, for a
// repository with these tags. It prints what it finds of each and returns an error where
// something is not as it must be.
func (r *repository) preflight(ctx context.Context, text string, tags io.Reader) error {
	v, ok := parseVersion(text)
	if !ok {
		return fmt.Errorf("'%s' is no version such as v1.2.3 or v1.2.3-rc.1", text)
	}
	known, err := readLines(tags)
	if err != nil {
		return fmt.Errorf("read the tags: %w", err)
	}
	refused := 0
	for _, c := range []check{
		{"the version follows", func(context.Context) error { return checkFollows(v, known) }},
		{"the module is of this major version", func(context.Context) error { return checkModule(v) }},
		{"CHANGELOG.md names the version", func(context.Context) error { return checkChangelog(v) }},
		{"it is the default branch", r.checkBranch},
		{"the commit's tests are green", r.checkTests},
		{"the environment release has reviewers", r.checkEnvironment},
		{"a ruleset keeps the versions' tags", func(ctx context.Context) error { return r.checkRulesets(ctx, v) }},
		{"releases are immutable", func(ctx context.Context) error { return r.checkImmutable(ctx, v) }},
	} {
		if err := c.do(ctx); err != nil {
			refused++
			fmt.Fprintf(r.out, "not so: %s: %v\n", c.name, err)
			continue
		}
		fmt.Fprintf(r.out, "so:     %s\n", c.name)
	}
	if refused > 0 {
		return fmt.Errorf("%d of the things that a release rests on are not so", refused)
	}
	return nil
}

func readLines(from io.Reader) (lines []string, err error) {
	scanner := bufio.NewScanner(from)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	return lines, scanner.Err()
}

var modulePattern = regexp.MustCompile(`(?m)^module \S+?(/v[0-9]+)?$`)

// checkModule refuses a major version that is not the module's: Go would not find it.
func checkModule(v version) error {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		return err
	}
	m := modulePattern.FindSubmatch(text)
	want := ""
	if v.major > 1 {
		want = fmt.Sprintf("/v%d", v.major)
	}
	if m == nil || string(m[1]) != want {
		return fmt.Errorf("the path in go.mod must end with %q for v%d: https://go.dev/ref/mod#major-version-suffixes", want, v.major)
	}
	return nil
}

func checkChangelog(v version) error {
	text, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		return err
	}
	title := "\n## [" + strings.TrimPrefix(v.release().String(), "v") + "]"
	if v.candidate == 0 && !strings.Contains(string(text), title) {
		return fmt.Errorf("put %q over what is Unreleased, and merge", strings.TrimSpace(title))
	}
	return nil
}

func (r *repository) checkBranch(ctx context.Context) error {
	var answer struct {
		DefaultBranch string `json:"default_branch"`
	}
	if err := r.call(ctx, http.MethodGet, "", nil, &answer); err != nil {
		return err
	}
	if r.ref != "refs/heads/"+answer.DefaultBranch {
		return fmt.Errorf("run the workflow on %s, not on %s", answer.DefaultBranch, r.ref)
	}
	return nil
}

// testWorkflow is the workflow that must have run.
const testWorkflow = ".github/workflows/ci.yml"

// checkTests wants the newest run of each workflow that the commit's push started to have
// succeeded, and that of the tests among them.
func (r *repository) checkTests(ctx context.Context) error {
	var answer struct {
		Runs []struct {
			Path       string `json:"path"`
			Status     string `json:"status"`
			Conclusion string `json:"conclusion"`
			Page       string `json:"html_url"`
		} `json:"workflow_runs"`
	}
	if err := r.call(ctx, http.MethodGet, "/actions/runs?event=push&per_page=100&head_sha="+r.commit, nil, &answer); err != nil {
		return err
	}
	var seen []string
	for _, run := range answer.Runs {
		file, _, _ := strings.Cut(run.Path, "@")
		switch {
		case slices.Contains(seen, file):
			continue // an older one
		case run.Status != "completed":
			return fmt.Errorf("%s is still running, wait for it: %s", file, run.Page)
		case run.Conclusion != "success":
			return fmt.Errorf("%s ended as %s, mend it or run it again: %s", file, run.Conclusion, run.Page)
		}
		seen = append(seen, file)
	}
	if !slices.Contains(seen, testWorkflow) {
		return fmt.Errorf("%s has not run for the push of %s", testWorkflow, r.commit)
	}
	return nil
}

// checkEnvironment wants somebody to agree before a job that pushes begins. GitHub makes
// an environment that is missing, without reviewers.
func (r *repository) checkEnvironment(ctx context.Context) error {
	var answer struct {
		Rules []struct {
			Type      string     `json:"type"`
			Reviewers []struct{} `json:"reviewers"`
		} `json:"protection_rules"`
		Branches *struct{} `json:"deployment_branch_policy"`
	}
	err := r.call(ctx, http.MethodGet, "/environments/release", nil, &answer)
	const where = "Settings, Environments, release"
	refused, isRefused := errors.AsType[*refusal](err)
	switch {
	case isRefused && refused.status == http.StatusNotFound:
		return errors.New("there is none. Make it under Settings, Environments, New environment, with Required reviewers and the default branch alone under Deployment branches")
	case err != nil:
		return err
	}
	reviewed := false
	for _, rule := range answer.Rules {
		reviewed = reviewed || rule.Type == "required_reviewers" && len(rule.Reviewers) > 0
	}
	switch {
	case !reviewed:
		return errors.New("it has none: turn on Required reviewers under " + where)
	case answer.Branches == nil:
		return errors.New("every branch may use it: choose the default branch alone under " + where + ", Deployment branches")
	}
	return nil
}

// ruleset is what GitHub tells of one.
type ruleset struct {
	ID          int64  `json:"id"`
	Target      string `json:"target"`
	Enforcement string `json:"enforcement"`
	Conditions  struct {
		Ref struct {
			Include []string `json:"include"`
			Exclude []string `json:"exclude"`
		} `json:"ref_name"`
	} `json:"conditions"`
	Rules []struct {
		Type string `json:"type"`
	} `json:"rules"`
}

// checkRulesets wants tags of versions never to change, and that of the major version to
// be free to.
func (r *repository) checkRulesets(ctx context.Context, v version) error {
	var all []ruleset
	if err := r.call(ctx, http.MethodGet, "/rulesets?per_page=100", nil, &all); err != nil {
		return err
	}
	tag, major := "refs/tags/"+v.String(), fmt.Sprintf("refs/tags/v%d", v.major)
	var kept, held []string
	for _, set := range all {
		if set.Target != "tag" || set.Enforcement != "active" {
			continue
		}
		whole := ruleset{}
		if err := r.call(ctx, http.MethodGet, fmt.Sprintf("/rulesets/%d", set.ID), nil, &whole); err != nil {
			return err
		}
		for _, rule := range whole.Rules {
			if whole.holds(tag) {
				kept = append(kept, rule.Type)
			}
			if whole.holds(major) {
				held = append(held, rule.Type)
			}
		}
	}
	const where = "Settings, Rules, Rulesets"
	switch {
	case !slices.Contains(kept, "update") || !slices.Contains(kept, "deletion"):
		return errors.New("none does. Make a tag ruleset under " + where + ", active for v*.*.*, with Restrict updates and Restrict deletions")
	case slices.Contains(held, "update") || slices.Contains(held, "non_fast_forward"):
		return fmt.Errorf("one keeps v%d as well, which has to move: name v*.*.* alone under %s", v.major, where)
	}
	return nil
}

// holds reports whether the ruleset is for a ref
// (https://docs.github.com/en/repositories/configuring-branches-and-merges-in-your-repository/managing-rulesets/creating-rulesets-for-a-repository).
func (s ruleset) holds(ref string) bool {
	matches := func(pattern string) bool {
		ok, err := path.Match(pattern, ref)
		return pattern == "~ALL" || ok && err == nil
	}
	return slices.ContainsFunc(s.Conditions.Ref.Include, matches) && !slices.ContainsFunc(s.Conditions.Ref.Exclude, matches)
}

// checkImmutable wants the newest release to be immutable: only administrators may read
// the setting itself. Where nothing is released a candidate shows it.
func (r *repository) checkImmutable(ctx context.Context, v version) error {
	var all []release
	if err := r.call(ctx, http.MethodGet, "/releases?per_page=100", nil, &all); err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(it release) bool { return !it.Draft })
	switch {
	case v.candidate > 0:
		return nil // its own release shows it
	case i < 0:
		return fmt.Errorf("nothing is released yet that would show it: turn on Settings, General, Releases, Enable release immutability, and release the candidate %s-rc.1 first", v)
	case !all[i].Immutable:
		return fmt.Errorf("%s is not: turn on Settings, General, Releases, Enable release immutability, and release the candidate %s-rc.1 first", all[i].TagName, v)
	}
	return nil
}

// checkFollows returns why a version cannot be the next one, where the repository has
// these tags. What is out itself can be: it is completed.
func checkFollows(v version, tags []string) error {
	if slices.Contains(tags, "withdrawn/"+v.String()) {
		return fmt.Errorf("%s is withdrawn: take the next version", v)
	}
	var out []version
	for _, tag := range tags {
		if known, ok := parseVersion(tag); ok {
			out = append(out, known)
		}
	}
	before := v
	before.candidate--
	switch {
	case slices.Contains(out, v):
		return nil
	case v.candidate > 0 && slices.Contains(out, v.release()):
		return fmt.Errorf("%s is out: a candidate comes before it", v.release())
	case v.candidate > 1 && !slices.Contains(out, before):
		return fmt.Errorf("%s does not follow: there is no %s", v, before)
	}
	released := slices.DeleteFunc(out, func(known version) bool { return known.candidate > 0 })
	next := nextVersions(released)
	if slices.Contains(next, v.release()) {
		return nil
	}
	if len(released) == 0 {
		return errors.New("nothing is released yet: the first version is v0.1.0 or v1.0.0")
	}
	newest := slices.MaxFunc(released, compareVersions)
	return fmt.Errorf("%s does not follow %s, the newest: next are %v", v.release(), newest,
		slices.DeleteFunc(next, func(n version) bool { return compareVersions(n, newest) < 0 }))
}
