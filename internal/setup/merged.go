package setup

import (
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/internal/setup/detect"
)

// merge is a step that merges the blob reports of shards into one
// (https://playwright.dev/docs/test-sharding#merging-reports-from-multiple-shards).
type merge struct {
	at     Add
	needs  []string // the jobs that its job waits for
	matrix bool     // its job has a matrix, each leg of which merges some of the reports
	folder string   // of the blob reports

	permitted yaml.Node
}

// mergeCommand matches a command that merges reports, up to its arguments.
var mergeCommand = lazyregexp.New(`(?m)^.*\bplaywright merge-reports\b(.*)$`)

// addMerge keeps the step if it merges reports. at is its place, run its script.
func (r *existing) addMerge(at Add, doc workflowDoc, j job, run string) {
	m := mergeCommand.FindStringSubmatch(continued.ReplaceAllString(run, " "))
	if m == nil {
		return
	}
	words := strings.Fields(m[1])
	for i, word := range words {
		isValue := i > 0 && (words[i-1] == "--reporter" || words[i-1] == "-c" || words[i-1] == "--config")
		folder := path.Clean(strings.Trim(word, `"'`))
		if !strings.HasPrefix(word, "-") && !isValue && detect.PlainPath.MatchString(folder) {
			at.Command, at.Merging = strings.TrimSpace(m[0]), true
			jobs := []string{j.Needs.Value}
			for _, n := range j.Needs.Content {
				jobs = append(jobs, n.Value)
			}
			r.merges = append(r.merges, merge{at, jobs, !j.Strategy.Matrix.IsZero(), folder, j.may(doc)})
			return
		}
	}
}

// joinMerge puts Breadcrumb where the shards' reports come together: in the job that merges
// them, which waits for the jobs of the tests. Their artifacts are not the legs' own then.
// GitHub has one result for all legs of a job (https://docs.github.com/actions/reference/workflows-and-actions/contexts#needs-context),
// so where several jobs, or legs, each merge some of them, none can be told how its own tests ended.
func (r *existing) joinMerge() {
	t := &r.step
	if t.workflow == "" || t.at.Judging {
		return
	}
	waits := func(m merge) bool { return m.at.File == t.at.File && slices.Contains(m.needs, t.at.Job) }
	i := slices.IndexFunc(r.merges, waits)
	if i < 0 {
		return
	}
	m := r.merges[i]
	if r.apart = m.matrix || slices.ContainsFunc(r.merges[i+1:], waits); r.apart {
		return
	}
	var suites []detect.Suite
	var needs []string
	for _, other := range r.tests {
		if other.at.File != t.at.File || !slices.Contains(m.needs, other.at.Job) {
			continue
		}
		if !slices.Contains(needs, other.at.Job) {
			needs = append(needs, other.at.Job)
		}
		for _, s := range other.suites {
			if !strings.HasSuffix(s.Reports[0], ".zip") {
				return
			}
			if !slices.ContainsFunc(suites, func(has detect.Suite) bool { return has.Found == s.Found }) {
				s.Reports, s.Traces, s.Heals, s.Led = []string{m.folder + "/*.zip"}, nil, nil, false
				suites = append(suites, s)
			}
		}
	}
	t.suites, t.needs, t.at, t.matrix, t.legs = suites, needs, m.at, false, legs{}
	t.permitted = m.permitted
}
