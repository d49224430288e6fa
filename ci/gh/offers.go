package gh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/breadcrumb/action/ci/gh/archive"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/state"
)

// The artifacts of offers. Their name holds the commit, so that they are found by it,
// and a number, because jobs of one run cannot use a name twice.
const (
	offersPrefix = "breadcrumb-offers-"
	offersFile   = "offers.json"
	offersLife   = 30 * 24 * time.Hour

	maxOffers  = 8 // artifacts of one commit in a run
	maxParents = 3 // commits before a head, which hold edits made meanwhile
)

// eventRelayed starts runs about other runs, of the default branch's own workflows.
const eventRelayed = "workflow_run"

// Offers keeps the edits that runs offer as artifacts of those runs: a job can write
// the comment of another run, and never an artifact of one.
type Offers struct {
	artifacts  *ArtifactBackend
	repository *Repository
}

// Offers returns the offers of a repository's runs. Without the results service they
// can be read, and saving is an error.
func (c *Client) Offers(o BackendOptions) (*Offers, error) {
	artifacts, err := c.ArtifactBackend(o)
	if err != nil {
		return nil, err
	}
	return &Offers{artifacts, c.Repository(o.Repository)}, nil
}

// Save keeps the offers of this run.
func (f *Offers) Save(ctx context.Context, offers comment.Offers) (err error) {
	defer wrapError(&err, "save the offered edits")
	b := f.artifacts
	if b.unwritable != nil {
		return b.unwritable
	}
	dir, err := os.MkdirTemp("", "breadcrumb-offers-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, offersFile), offers.Pack(), 0o644); err != nil {
		return err
	}
	zip, err := archive.Zip(os.DirFS(dir))
	if err != nil {
		return err
	}
	for n := 1; n <= maxOffers; n++ {
		err = b.upload(ctx, offersName(offers.Head, n), zip, offersLife)
		if !errors.Is(err, state.ErrExists) {
			return err
		}
	}
	return err
}

func offersName(head string, n int) string { return fmt.Sprintf("%s%s-%d", offersPrefix, head, n) }

// Of returns what this workflow's runs of a commit offered, and the runs that judged
// it from outside, or those of the commits before it where it has none.
func (f *Offers) Of(ctx context.Context, head string) (found []comment.Offers, err error) {
	defer wrapError(&err, "ask which edits were offered")
	for range 1 + maxParents {
		if found, err = f.ofCommit(ctx, head); err != nil || len(found) > 0 {
			return found, err
		}
		if head, err = f.parentOf(ctx, head); err != nil || head == "" {
			return nil, err
		}
	}
	return nil, nil
}

func (f *Offers) ofCommit(ctx context.Context, head string) (found []comment.Offers, err error) {
	for n := 1; n <= maxOffers; n++ {
		query := url.Values{"name": {offersName(head, n)}, "per_page": {"30"}}
		listed, _, err := f.artifacts.listPageOf(ctx, "artifacts", query)
		if err != nil || len(listed) == 0 {
			return found, err
		}
		for _, a := range listed {
			own, err := f.isOwn(ctx, a, head)
			if err != nil {
				return nil, err
			}
			if a.Expired || a.Name != offersName(head, n) || !own {
				continue
			}
			offers, err := f.read(ctx, a)
			if err != nil {
				return nil, err
			}
			if offers.Head == head {
				found = append(found, offers)
			}
		}
	}
	return found, nil
}

// isOwn reports whether an artifact is of a run of this workflow that had this commit,
// or of a run about another one: its workflow's file is always the default branch's.
func (f *Offers) isOwn(ctx context.Context, a artifact, head string) (bool, error) {
	runs := &f.artifacts.runs
	repository := runs.options.RepositoryID
	if a.Run.RepositoryID != repository || a.Run.HeadRepositoryID != repository {
		return false, nil
	}
	run := runOrigin{}
	if _, err := runs.ask(ctx, fmt.Sprintf("runs/%d?exclude_pull_requests=true", a.Run.ID), &run); err != nil {
		return false, err
	}
	return run.ID == a.Run.ID && (run.Event == eventRelayed || runs.isOwn(run) && a.Run.HeadSHA == head), nil
}

// read reads an artifact of offers.
func (f *Offers) read(ctx context.Context, a artifact) (offers comment.Offers, err error) {
	dir, err := os.MkdirTemp("", "breadcrumb-offers-*")
	if err != nil {
		return offers, err
	}
	defer os.RemoveAll(dir)
	into, err := os.OpenRoot(dir)
	if err != nil {
		return offers, err
	}
	defer into.Close()
	if err := f.artifacts.Get(ctx, a.toItem(), into); err != nil {
		return offers, err
	}
	file, err := into.Open(offersFile)
	if err != nil {
		return offers, fmt.Errorf("artifact %s has no %s", a.Name, offersFile)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, comment.MaxOffersBytes+1))
	if err != nil {
		return offers, err
	}
	offers, _ = comment.ParseOffers(text)
	return offers, nil
}

// parentOf returns the one commit before another, "" where it has none or several.
func (f *Offers) parentOf(ctx context.Context, commit string) (string, error) {
	client, options := f.artifacts.client, f.artifacts.options
	owner, name, err := splitRepository(options.Repository)
	if err != nil {
		return "", err
	}
	got, resp, err := client.api.Git.GetCommit(ctx, owner, name, commit)
	if resp != nil && resp.StatusCode == http.StatusNotFound {
		return "", nil
	}
	if err != nil {
		return "", client.fault("ask for a commit", err, refused)
	}
	if len(got.Parents) != 1 {
		return "", nil
	}
	return got.Parents[0].GetSHA(), nil
}
