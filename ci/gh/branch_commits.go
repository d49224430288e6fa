package gh

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/google/go-github/v62/github"
)

// branchCommits knows which commits are on a branch. The branch is asked for by its
// full name, refs/heads/main: by the short one GitHub may take a tag of that name.
// GraphQL answers for many commits at once. Where it does not answer, as behind some
// proxies, the REST API is asked about each.
type branchCommits struct {
	client             *Client
	repository, branch string

	tip string          // newest commit; "" before GitHub is asked
	on  map[string]bool // what is known, by the commit

	requested int // commits that the REST API was asked about
}

// Bounds of what is compared: maxCompared commits in one query, and maxRequested one
// by one for a run.
const (
	maxCompared  = 50
	maxRequested = 50
)

// newestCommits asks for the tip of a branch and the commits before it.
const newestCommits = `query($owner:String!,$name:String!,$ref:String!){repository(owner:$owner,name:$name){ref(qualifiedName:$ref){target{oid ... on Commit{history(first:100){nodes{oid}}}}}}}`

// readTip asks for the branch's newest commits, once.
func (b *branchCommits) readTip(ctx context.Context) error {
	if b.tip != "" {
		return nil
	}
	err := b.queryTip(ctx)
	if err == nil {
		return nil
	}
	if restErr := b.requestTip(ctx); restErr != nil {
		return fmt.Errorf("%w; without GraphQL: %w", err, restErr)
	}
	return nil
}

// queryTip asks GraphQL for the branch's newest commits.
func (b *branchCommits) queryTip(ctx context.Context) error {
	var out struct {
		Repository struct {
			Ref struct {
				Target struct {
					OID     string
					History struct{ Nodes []struct{ OID string } }
				}
			}
		}
	}
	variables, err := b.variables()
	if err == nil {
		err = b.client.query(withIdempotent(ctx), "ask for the commits of "+b.branch, newestCommits, variables, &out)
	}
	if err != nil {
		return err
	}
	target := out.Repository.Ref.Target
	if !shaPattern.MatchString(target.OID) {
		return fmt.Errorf("ask for the commits of %s: GitHub names none: the branch was renamed or deleted, or the token lacks contents: read", b.branch)
	}
	b.tip, b.on = target.OID, map[string]bool{target.OID: true}
	for _, commit := range target.History.Nodes {
		b.on[commit.OID] = true
	}
	return nil
}

// requestTip asks the REST API for the branch's newest commits.
func (b *branchCommits) requestTip(ctx context.Context) error {
	owner, name, err := splitRepository(b.repository)
	if err != nil {
		return err
	}
	op := "ask for the commits of " + b.branch
	ref, _, err := b.client.api.Git.GetRef(ctx, owner, name, "heads/"+b.branch)
	if err != nil {
		return b.client.fault(op, err, refused)
	}
	tip := ref.GetObject().GetSHA()
	if ref.GetRef() != "refs/heads/"+b.branch || !shaPattern.MatchString(tip) {
		return fmt.Errorf("%s: GitHub names another branch or none", op)
	}
	newest, _, err := b.client.api.Repositories.ListCommits(ctx, owner, name, &github.CommitsListOptions{SHA: tip, ListOptions: github.ListOptions{PerPage: 100}})
	if err != nil {
		return b.client.fault(op, err, refused)
	}
	b.tip, b.on = tip, map[string]bool{tip: true}
	for _, commit := range newest {
		b.on[commit.GetSHA()] = true
	}
	return nil
}

// variables are those of the queries.
func (b *branchCommits) variables() (map[string]any, error) {
	owner, name, err := splitRepository(b.repository)
	return map[string]any{"owner": owner, "name": name, "ref": "refs/heads/" + b.branch}, err
}

// learn asks which of the commits are on the branch, of each once: they are it, or
// before it, in GitHub's words IDENTICAL or BEHIND.
func (b *branchCommits) learn(ctx context.Context, commits []string) error {
	if len(commits) == 0 {
		return nil
	}
	if err := b.readTip(ctx); err != nil {
		return err
	}
	var unknown []string
	for _, sha := range commits {
		if _, known := b.on[sha]; !known && shaPattern.MatchString(sha) && !slices.Contains(unknown, sha) {
			unknown = append(unknown, sha)
		}
	}
	for some := range slices.Chunk(unknown, maxCompared) {
		err := b.query(ctx, some)
		if err == nil {
			continue
		}
		if restErr := b.request(ctx, some); restErr != nil {
			return fmt.Errorf("%w; without GraphQL: %w", err, restErr)
		}
	}
	return nil
}

// query asks GraphQL about some commits at once. One that GitHub no longer has is not
// on the branch.
func (b *branchCommits) query(ctx context.Context, commits []string) error {
	variables, err := b.variables()
	if err != nil {
		return err
	}
	var declared, asked strings.Builder
	for i, sha := range commits {
		name := fmt.Sprintf("c%d", i)
		fmt.Fprintf(&declared, ",$%s:String!", name)
		fmt.Fprintf(&asked, " %s:compare(headRef:$%s){status}", name, name)
		variables[name] = sha
	}
	var out struct {
		Repository struct {
			Ref map[string]*struct{ Status string }
		}
	}
	query := `query($owner:String!,$name:String!,$ref:String!` + declared.String() + `){repository(owner:$owner,name:$name){ref(qualifiedName:$ref){` + asked.String()[1:] + `}}}`
	err = b.client.query(withIdempotent(ctx), "ask which commits are on "+b.branch, query, variables, &out)
	if refusal, ok := errors.AsType[*GraphQLError](err); ok && refusal.Type == notFoundType && out.Repository.Ref != nil {
		err = nil
	}
	if err != nil {
		return err
	}
	for i, sha := range commits {
		found := out.Repository.Ref[fmt.Sprintf("c%d", i)]
		b.on[sha] = found != nil && (found.Status == "IDENTICAL" || found.Status == "BEHIND")
	}
	return nil
}

// request asks the REST API about some commits, one after the other. A run that has
// asked about too many knows nothing of the rest, and must not take them for others'.
func (b *branchCommits) request(ctx context.Context, commits []string) error {
	owner, name, err := splitRepository(b.repository)
	if err != nil {
		return err
	}
	op := "ask which commits are on " + b.branch
	for _, sha := range commits {
		if b.requested++; b.requested > maxRequested {
			return fmt.Errorf("%s: more than %d are not among its newest 100", op, maxRequested)
		}
		found, resp, err := b.client.api.Repositories.CompareCommits(ctx, owner, name, b.tip, sha, &github.ListOptions{PerPage: 1})
		if err != nil && (resp == nil || resp.StatusCode != http.StatusNotFound) {
			return b.client.fault(op, err, refused)
		}
		b.on[sha] = err == nil && (found.GetStatus() == "identical" || found.GetStatus() == "behind")
	}
	return nil
}
