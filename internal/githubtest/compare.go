package githubtest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// statusOf says how a commit lies to another one, the base.
func (c *call) statusOf(base, head string) string {
	switch {
	case base == head:
		return "identical"
	case c.follows(base, head):
		return "behind"
	case c.follows(head, base):
		return "ahead"
	}
	return "diverged"
}

// tipOf returns the commit that a tag, a branch or a hash names; a short name is a
// tag's first, as in git.
func (c *call) tipOf(name string) string {
	if sha, tagged := c.repo.Tags[name]; tagged {
		return sha
	}
	name = strings.TrimPrefix(name, "refs/heads/")
	if branch := find(c.repo.Branches, func(b Branch) bool { return b.Name == name }); branch != nil {
		return branch.SHA
	}
	return name
}

// follows reports whether a commit is one of the past or comes after it.
func (c *call) follows(sha, before string) bool {
	if c.reached == nil {
		c.reached = map[string]map[string]bool{}
	}
	if c.reached[sha] == nil {
		c.reached[sha] = map[string]bool{}
		for _, ancestor := range c.ancestors(sha) {
			c.reached[sha][ancestor] = true
		}
	}
	return c.reached[sha][before]
}

// ancestors returns a commit of the past and those before it, the nearest first.
func (c *call) ancestors(sha string) []string {
	var all []string
	seen := map[string]bool{}
	for next := []string{sha}; len(next) > 0; next = next[1:] {
		if past := c.past(next[0]); past != nil && !seen[past.SHA] {
			seen[past.SHA] = true
			all, next = append(all, past.SHA), append(next, past.Parents...)
		}
	}
	return all
}

// past returns a commit of the past, nil where there is none.
func (c *call) past(sha string) *Past {
	if c.pasts == nil {
		c.pasts = make(map[string]*Past, len(c.repo.Past))
		for i := range slices.Backward(c.repo.Past) { // the first of a hash
			c.pasts[c.repo.Past[i].SHA] = &c.repo.Past[i]
		}
	}
	return c.pasts[sha]
}

func (c *call) pastShape(sha string) object {
	past := c.past(sha)
	self := c.api("/commits/%s", sha)
	person := object{"name": "Mona", "email": "mona@example.com", "date": formatTime(past.At)}
	parents := []object{}
	for _, p := range past.Parents {
		parents = append(parents, object{"sha": p, "url": c.api("/commits/%s", p), "html_url": c.html("/commit/%s", p)})
	}
	return object{"url": self, "sha": sha, "node_id": nodeID("Commit", stableID(sha)), "html_url": c.html("/commit/%s", sha), "comments_url": self + "/comments",
		"commit": object{"url": self, "author": person, "committer": person, "message": "m", "comment_count": 0, "tree": object{"sha": sha, "url": self}},
		"author": nil, "committer": nil, "parents": parents}
}

// The queries that ask for the commits of a branch, the second with any number of
// commits: https://docs.github.com/en/graphql/reference/objects#ref
const newestCommitsQuery = `query($owner:String!,$name:String!,$ref:String!){repository(owner:$owner,name:$name){ref(qualifiedName:$ref){target{oid ... on Commit{history(first:100){nodes{oid}}}}}}}`

var comparedQuery = regexp.MustCompile(`^query\(\$owner:String!,\$name:String!,\$ref:String!(,\$c\d+:String!)+\)\{repository\(owner:\$owner,name:\$name\)\{ref\(qualifiedName:\$ref\)\{(c\d+:compare\(headRef:\$c\d+\)\{status\} ?)+\}\}\}$`)

// answerCommits answers with the tip of a branch and the commits before it.
func (c *call) answerCommits(variables json.RawMessage) (any, error) {
	tip, _, err := c.findRef(variables)
	if err != nil {
		return nil, err
	}
	nodes := []object{}
	for _, sha := range c.ancestors(tip) {
		nodes = append(nodes, object{"oid": sha})
	}
	return nested(object{"oid": tip, "history": object{"nodes": nodes[:min(len(nodes), 100)]}}, "data", "repository", "ref", "target"), nil
}

// answerCompared answers how commits lie to the tip of a branch. Of one that is not
// there the answer is null, with an error.
func (c *call) answerCompared(variables json.RawMessage) (any, error) {
	tip, commits, err := c.findRef(variables)
	if err != nil {
		return nil, err
	}
	answers, faults := object{}, []any{}
	for name, sha := range commits {
		switch {
		case len(c.repo.Past) == 0:
			answers[name] = object{"status": "BEHIND"}
		case c.past(sha) == nil:
			answers[name] = nil
			faults = append(faults, object{"type": "NOT_FOUND", "path": []string{"repository", "ref", name}, "message": "No commit found"})
		default:
			answers[name] = object{"status": strings.ToUpper(c.statusOf(tip, sha))}
		}
	}
	answer := nested(answers, "data", "repository", "ref")
	if len(faults) > 0 {
		answer["errors"] = faults
	}
	return answer, nil
}

// findRef returns the tip of the branch that variables name, and the commits among
// them by their names.
func (c *call) findRef(variables json.RawMessage) (tip string, commits map[string]string, err error) {
	if err := json.Unmarshal(variables, &commits); err != nil {
		return "", nil, refuse("INVALID", err.Error())
	}
	branch := strings.TrimPrefix(commits["ref"], "refs/heads/")
	if c.repo = c.state.findRepository(commits["owner"] + "/" + commits["name"]); c.repo == nil {
		return "", nil, refuse("NOT_FOUND", "Could not resolve to a Repository")
	}
	for _, name := range []string{"owner", "name", "ref"} {
		delete(commits, name)
	}
	if b, known := c.repo.findBranch(branch); known {
		return b.SHA, commits, nil
	}
	return fmt.Sprintf("%040x", stableID(branch)), commits, nil
}
