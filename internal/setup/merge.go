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
	folder string   // of the blob reports
}

// mergeCommand matches a command that merges reports, up to its arguments.
var mergeCommand = lazyregexp.New(`(?m)^.*\bplaywright merge-reports\b(.*)$`)

// addMerge keeps the step if it merges reports. at is its place, run its script.
func (r *existing) addMerge(at Add, needs yaml.Node, run string) {
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
			jobs := []string{needs.Value}
			for _, n := range needs.Content {
				jobs = append(jobs, n.Value)
			}
			r.merges = append(r.merges, merge{at, jobs, folder})
			return
		}
	}
}

// joinMerge puts Breadcrumb where the shards' reports come together: in the job that merges
// them, which waits for the job of the tests. Its artifacts are not the legs' own then.
func (r *existing) joinMerge() {
	t := &r.step
	if t.workflow == "" || t.at.Judging || len(t.suites) != 1 || !strings.HasSuffix(t.suites[0].Reports[0], ".zip") {
		return
	}
	for _, m := range r.merges {
		if m.at.File == t.at.File && slices.Contains(m.needs, t.at.Job) {
			t.suites = slices.Clone(t.suites)
			s := &t.suites[0]
			s.Reports, s.Traces, s.Heals, s.Led = []string{m.folder + "/*.zip"}, nil, nil, false
			t.at, t.id, t.matrix = m.at, t.at.Job, false
			return
		}
	}
}
