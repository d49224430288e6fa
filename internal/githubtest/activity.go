package githubtest

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

var activityRoutes = []route{{"GET", inRepo + "/activity", read, (*call).listActivities}}

// Activity is one change of a branch: what its ref pointed at then.
type Activity struct {
	Branch string    `json:"branch"`
	Type   string    `json:"type,omitempty"`   // GitHub's word, push when empty
	Before string    `json:"before,omitempty"` // what the change before left, when empty
	After  string    `json:"after,omitempty"`
	At     time.Time `json:"at,omitzero"` // now when zero
}

// noCommit stands where a branch was not there yet or is no longer.
var noCommit = strings.Repeat("0", 40)

// listActivities returns what became of the branches, the newest change first:
// https://docs.github.com/en/rest/repos/repos#list-repository-activities. Its pages
// begin at a cursor.
func (c *call) listActivities() (any, error) {
	query := c.URL.Query()
	ref := "refs/heads/" + strings.TrimPrefix(query.Get("ref"), "refs/heads/")
	all := c.activities()
	var listed []int
	for i, a := range slices.Backward(all) {
		if query.Get("ref") == "" || "refs/heads/"+a.Branch == ref {
			listed = append(listed, i)
		}
	}
	cursor, _ := base64.StdEncoding.DecodeString(query.Get("after"))
	start := min(atoi(string(cursor), 0), len(listed))
	end := min(start+min(max(atoi(query.Get("per_page"), 30), 1), 100), len(listed))
	if end < len(listed) {
		query.Set("after", base64.StdEncoding.EncodeToString([]byte(strconv.Itoa(end))))
		c.w.Header().Set("Link", fmt.Sprintf(`<%s%s?%s>; rel="next"`, c.base, c.URL.Path, query.Encode()))
	}
	return shapesOf(listed[start:end], func(i int) object { return c.activityShape(int64(i+1), all[i]) }), nil
}

func (c *call) activityShape(id int64, a Activity) object {
	return object{"id": id, "node_id": nodeID("PushEvent", id), "before": cmp.Or(a.Before, noCommit), "after": cmp.Or(a.After, noCommit),
		"ref": "refs/heads/" + a.Branch, "timestamp": formatTime(cmp.Or(a.At, c.now)), "activity_type": cmp.Or(a.Type, "push"), "actor": c.userShape("mona")}
}

// noteActivity notes what becomes of a branch from now on. Of a repository that began with
// branches and without activities they stay made up.
func (r *Repository) noteActivity(a Activity) {
	if len(r.Activities) > 0 || len(r.Branches) == 0 {
		r.Activities = append(r.Activities, a)
	}
}

// activities returns the repository's activities with what each changed, oldest first.
// Where the state has none they are made up. The last of each branch is that it came
// to where it is.
func (c *call) activities() []Activity {
	all := slices.Clone(c.repo.Activities)
	for _, b := range c.repo.Branches {
		if len(c.repo.Activities) == 0 {
			all = append(all, c.madeUp(b)...)
		}
	}
	if len(all) == 0 {
		for _, r := range c.repo.Runs {
			all = append(all, Activity{Branch: r.HeadBranch, After: r.HeadSHA, At: r.Created})
		}
	}
	last := map[string]string{}
	for i := range all {
		all[i].Before = cmp.Or(all[i].Before, last[all[i].Branch])
		last[all[i].Branch] = all[i].After
	}
	for _, b := range c.repo.Branches {
		if last[b.Name] != b.SHA {
			all = append(all, Activity{Branch: b.Name, Before: last[b.Name], After: b.SHA})
		}
	}
	return all
}

// madeUp returns activities with which a branch came to its commit: a push each for it
// and its first parents, under the former name where the branch was renamed; without a
// past, for the commits of its runs.
func (c *call) madeUp(b Branch) (made []Activity) {
	name := b.Name
	for former, present := range c.repo.Renamed {
		if present == b.Name {
			name = former
		}
	}
	for past := c.past(b.SHA); past != nil; {
		made = append(made, Activity{Branch: name, After: past.SHA, At: cmp.Or(past.At, c.now.Add(-time.Hour))})
		if len(past.Parents) == 0 {
			break
		}
		past = c.past(past.Parents[0])
	}
	slices.Reverse(made)
	if len(c.repo.Past) == 0 {
		for _, r := range c.repo.Runs {
			if r.HeadBranch == name {
				made = append(made, Activity{Branch: name, After: r.HeadSHA, At: cmp.Or(r.Created, c.now.Add(-time.Hour))})
			}
		}
	}
	if name != b.Name {
		made = append(made, Activity{Branch: name, Type: "branch_deletion"}, Activity{Branch: b.Name, Type: "branch_creation", After: b.SHA})
	}
	return made
}
