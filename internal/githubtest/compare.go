package githubtest

import (
	"encoding/json"
	"fmt"
	"regexp"
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
	past := c.places()
	goal, known := past.at[before]
	if !known {
		return false
	}
	seen := map[int]bool{}
	for next := []string{sha}; len(next) > 0; {
		i, known := past.at[next[len(next)-1]]
		next = next[:len(next)-1]
		switch {
		case i == goal && known:
			return true
		case !known || seen[i] || past.inOrder && i < goal:
			continue
		}
		seen[i] = true
		next = append(next, c.repo.Past[i].Parents...)
	}
	return false
}

// ancestors returns a commit of the past and those before it, the nearest first, at
// most so many.
func (c *call) ancestors(sha string, most int) []string {
	var all []string
	seen := map[string]bool{}
	for next := []string{sha}; len(next) > 0 && len(all) < most; next = next[1:] {
		if past := c.past(next[0]); past != nil && !seen[past.SHA] {
			seen[past.SHA] = true
			all, next = append(all, past.SHA), append(next, past.Parents...)
		}
	}
	return all
}

// past returns a commit of the past, nil where there is none.
func (c *call) past(sha string) *Past {
	if i, known := c.places().at[sha]; known {
		return &c.repo.Past[i]
	}
	return nil
}

// places is where the commits of a repository's past are, the first of a hash.
type places struct {
	at      map[string]int
	read    int  // so many of them
	inOrder bool // parents come before their children
}

// places returns where the commits are. Mostly some were added since the last call.
func (c *call) places() *places {
	past := c.commits[c.repo.FullName]
	if past == nil || past.read > len(c.repo.Past) {
		past = &places{at: map[string]int{}, inOrder: true}
		c.commits[c.repo.FullName] = past
	}
	for ; past.read < len(c.repo.Past); past.read++ {
		made := c.repo.Past[past.read]
		for _, parent := range made.Parents {
			_, known := past.at[parent]
			past.inOrder = past.inOrder && known
		}
		if _, known := past.at[made.SHA]; !known {
			past.at[made.SHA] = past.read
		}
	}
	return past
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
	if tip == "" {
		return nested(nil, "data", "repository", "ref"), nil
	}
	nodes := []object{}
	for _, sha := range c.ancestors(tip, 100) {
		nodes = append(nodes, object{"oid": sha})
	}
	return nested(object{"oid": tip, "history": object{"nodes": nodes}}, "data", "repository", "ref", "target"), nil
}

// answerCompared answers how commits lie to the tip of a branch. Of one that is not
// there the answer is null, with an error.
func (c *call) answerCompared(variables json.RawMessage) (any, error) {
	tip, commits, err := c.findRef(variables)
	if err != nil {
		return nil, err
	}
	if tip == "" {
		return nested(nil, "data", "repository", "ref"), nil
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

// findRef returns the tip of the branch that variables name, "" where it was renamed,
// and the commits among them by their names.
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
	if c.repo.Renamed[branch] != "" {
		return "", commits, nil
	}
	return fmt.Sprintf("%040x", stableID(branch)), commits, nil
}
