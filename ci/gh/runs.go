package gh

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"github.com/breadcrumb/action/state"
)

// maxRunLookups bounds the runs that are asked for one by one, a call each.
const maxRunLookups = 2

// runs knows by which event and workflow a run was started. GitHub does not
// say so where it lists artifacts; one call tells it of the default branch's
// newest 100 runs.
type runs struct {
	client  *Client
	options BackendOptions

	mu    sync.Mutex
	known map[int64]run
}

// run is what GitHub tells of a workflow run.
type run struct {
	ID    int64  `json:"id"`
	Event string `json:"event"`
	Path  string `json:"path"`
}

// complete sets the event and workflow of the items that the default branch of
// this repository made. Of other items, and of runs that are too old to be
// found with few calls, they stay empty, so that the item is not trusted.
// Items are newest first.
func (r *runs) complete(ctx context.Context, items []state.Item) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	missing := r.missing(items)
	if len(missing) > 1 {
		if err := r.list(ctx); err != nil {
			return err
		}
		missing = r.missing(items)
		if !r.options.trusted() && len(r.known) > 0 {
			missing = nil // of what is older a pull request reads nothing
		}
	}
	for _, id := range missing[:min(len(missing), maxRunLookups)] {
		if err := r.lookUp(ctx, id); err != nil {
			return err
		}
	}
	for i := range items {
		if known, ok := r.known[items[i].Origin.RunID]; ok {
			items[i].Origin.Event, items[i].Origin.Workflow = known.Event, known.Path
		}
	}
	return nil
}

// missing returns the runs that have to be known and are not.
func (r *runs) missing(items []state.Item) []int64 {
	var ids []int64
	seen := map[int64]bool{}
	for _, item := range items {
		o := item.Origin
		if _, known := r.known[o.RunID]; r.options.madeIt(o) && !known && !seen[o.RunID] {
			ids = append(ids, o.RunID)
			seen[o.RunID] = true
		}
	}
	return ids
}

// list learns the newest runs of the default branch.
func (r *runs) list(ctx context.Context) error {
	query := url.Values{"per_page": {"100"}, "exclude_pull_requests": {"true"}}
	if r.options.DefaultBranch != "" {
		query.Set("branch", r.options.DefaultBranch)
	}
	var out struct {
		Runs []run `json:"workflow_runs"`
	}
	if err := r.ask(ctx, "?"+query.Encode(), &out); err != nil {
		return err
	}
	r.learn(out.Runs...)
	return nil
}

// lookUp learns one run. One that is not there any more vouches for nothing.
func (r *runs) lookUp(ctx context.Context, id int64) error {
	out := run{ID: id}
	if err := r.ask(ctx, fmt.Sprintf("/%d?exclude_pull_requests=true", id), &out); err != nil {
		return err
	}
	r.learn(out)
	return nil
}

func (r *runs) learn(all ...run) {
	if r.known == nil {
		r.known = map[int64]run{}
	}
	for _, one := range all {
		r.known[one.ID] = one
	}
}

// ask reads below the repository's runs. What is not there leaves out as it
// is.
func (r *runs) ask(ctx context.Context, below string, out any) error {
	owner, name := r.options.split()
	req, err := r.client.api.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/actions/runs%s", owner, name, below), nil)
	if err != nil {
		return err
	}
	resp, err := r.client.api.Do(ctx, req, out)
	if err != nil && resp != nil && resp.StatusCode == http.StatusNotFound {
		return nil
	}
	return r.client.fault("ask GitHub for workflow runs", err, refused)
}
