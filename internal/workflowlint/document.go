package workflowlint

import (
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// document is a workflow or an action as the rules see it.
type document struct {
	checkout Checkout
	lines    []string
	root     *yaml.Node
	triggers map[string]*yaml.Node // the value of each event, nil in an action
	starts   []situation           // the ways in which the events start it
	jobs     []job                 // an action's steps are one job
	action   bool
}

// job is one job of a workflow.
type job struct {
	key, node *yaml.Node
	steps     []step
}

// step is one step of a job.
type step struct {
	node, uses, run, with *yaml.Node
	name                  string // of the action used, small letters, without its ref
	ref                   string
}

// readDocument returns the document in text.
func readDocument(text []byte) (*document, error) {
	root, err := parse(text)
	if err != nil {
		return nil, err
	}
	d := &document{root: root, lines: splitLines(string(text))}
	if runs := field(root, "runs"); runs != nil && field(root, "jobs") == nil {
		d.action, d.starts = true, []situation{{}}
		d.jobs = []job{{key: root, node: runs, steps: readSteps(field(runs, "steps"))}}
		return d, nil
	}
	jobs := field(root, "jobs")
	if jobs == nil || jobs.Kind != yaml.MappingNode {
		return nil, errors.New("neither a workflow, which has jobs, nor an action, which has runs")
	}
	d.triggers = readTriggers(field(root, "on"))
	d.starts = situations(d.triggers)
	for key, value := range pairs(jobs) {
		d.jobs = append(d.jobs, job{key: key, node: value, steps: readSteps(field(value, "steps"))})
	}
	return d, nil
}

// lineBreak matches what ends a line of YAML 1.1, as its parser counts them
// (https://yaml.org/spec/1.1/#id871136).
var lineBreak = lazyregexp.New(`\r\n|[\r\n\x{85}\x{2028}\x{2029}]`)

func splitLines(text string) []string { return lineBreak.Split(text, -1) }

// readTriggers reads what `on` says in its three forms: a name, a list, a
// mapping.
func readTriggers(on *yaml.Node) map[string]*yaml.Node {
	triggers := map[string]*yaml.Node{}
	for _, event := range texts(on) {
		triggers[event] = nil
	}
	for event, value := range pairs(on) {
		triggers[event.Value] = value
	}
	return triggers
}

// Steps returns the steps of a job's list and those of its parallel groups, in the order
// of the file, and for each whether it is in a group, whose steps run at the same time
// (https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax).
// A group may hold groups. Of more than 100,000 steps, which aliases can make of a small
// file, the rest is left out.
func Steps(list *yaml.Node) iter.Seq2[*yaml.Node, bool] {
	return func(yield func(*yaml.Node, bool) bool) {
		left := maxNodes
		var walk func(list *yaml.Node, depth int) bool
		walk = func(list *yaml.Node, depth int) bool {
			for _, n := range items(list) {
				if left--; left < 0 || depth > maxDepth {
					return false
				}
				var more bool
				if group := field(followAlias(n), "parallel"); group != nil {
					more = walk(group, depth+1)
				} else {
					more = yield(n, depth > 0)
				}
				if !more {
					return false
				}
			}
			return true
		}
		walk(list, 0)
	}
}

// items returns the values of a list, none for what is no list.
func items(list *yaml.Node) []*yaml.Node {
	if list = followAlias(list); list == nil || list.Kind != yaml.SequenceNode {
		return nil
	}
	return list.Content
}

func followAlias(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias // an anchor is on no alias
	}
	return n
}

func readSteps(list *yaml.Node) []step {
	var steps []step
	for n := range Steps(list) {
		s := step{node: n, uses: field(n, "uses"), run: field(n, "run"), with: field(n, "with")}
		name, ref, _ := strings.Cut(strings.TrimSpace(text(s.uses)), "@")
		s.name, s.ref = strings.ToLower(name), ref
		steps = append(steps, s)
	}
	return steps
}

// input returns the text of one of a step's inputs.
func (s step) input(name string) string { return text(field(s.with, name)) }

// steps returns the steps of all jobs, each with its job.
func (d *document) steps() iter.Seq2[job, step] {
	return func(yield func(job, step) bool) {
		for _, j := range d.jobs {
			for _, s := range j.steps {
				if !yield(j, s) {
					return
				}
			}
		}
	}
}

// startsOn reports whether one of the events starts the workflow.
func (d *document) startsOn(events ...string) bool {
	return slices.ContainsFunc(events, func(e string) bool { _, ok := d.triggers[e]; return ok })
}

// runsOn reports whether one of the events may run a job, and of it a step: their
// conditions can be true then.
func (d *document) runsOn(j job, s step, events ...string) bool {
	return slices.ContainsFunc(d.starts, func(when situation) bool {
		return slices.Contains(events, when.event) && when.mayHold(text(field(j.node, "if"))) && when.mayHold(text(field(s.node, "if")))
	})
}

// privileged are the events that a stranger can cause and that run with the
// repository's own token and secrets.
var privileged = []string{
	"pull_request_target", "workflow_run", "issue_comment", "issues", "discussion", "discussion_comment", "fork", "watch",
}

// sameRepository reports whether a job's condition keeps out pull requests from
// forks.
func (j job) sameRepository() bool {
	condition := strings.ToLower(text(field(j.node, "if")))
	return strings.Contains(condition, "head.repo.full_name == github.repository") ||
		strings.Contains(condition, "github.repository == github.event.pull_request.head.repo.full_name") ||
		strings.Contains(condition, "!github.event.pull_request.head.repo.fork") ||
		strings.Contains(condition, "head.repo.fork == false") ||
		strings.Contains(condition, "head_repository.full_name == github.repository")
}

// commit is a full commit id.
var commit = lazyregexp.New(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

var major = lazyregexp.New(`^v?(\d{1,3})(?:\.|$|\s)`)

// actionVersion returns the major version of the action that a step uses, by its ref
// or by the comment behind a commit; 0 when neither says.
func (d *document) actionVersion(s step) int {
	version := s.ref
	if commit.MatchString(s.ref) {
		version = d.commentBehind(s)
	}
	m := major.FindStringSubmatch(version)
	if m == nil {
		return 0
	}
	v, _ := strconv.Atoi(m[1]) // at most three digits
	return v
}

// commentBehind returns the comment behind the action that a step uses.
func (d *document) commentBehind(s step) string {
	if s.uses == nil || s.uses.Line > len(d.lines) {
		return ""
	}
	_, comment, _ := strings.Cut(d.lines[s.uses.Line-1], "#")
	return strings.TrimSpace(comment)
}

// Checkout is what a workflow's checkout says besides the workflow.
type Checkout struct {
	PackageManager string // that package.json names at the top, "" when it names none; see PackageManager
}
