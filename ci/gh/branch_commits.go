package gh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// branchCommits knows which commits are on a branch. The branch is asked for by its
// full name, refs/heads/main: by the short one GitHub may take a tag of that name.
type branchCommits struct {
	client             *Client
	repository, branch string

	tip string          // newest commit; "" before GitHub is asked
	on  map[string]bool // what is known, by the commit
}

// maxCompared bounds the commits of one query.
const maxCompared = 50

// newestCommits asks for the tip of a branch and the commits before it.
const newestCommits = `query($owner:String!,$name:String!,$ref:String!){repository(owner:$owner,name:$name){ref(qualifiedName:$ref){target{oid ... on Commit{history(first:100){nodes{oid}}}}}}}`

// readTip asks for the branch's newest commits, once.
func (b *branchCommits) readTip(ctx context.Context) error {
	if b.tip != "" {
		return nil
	}
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
		return fmt.Errorf("ask for the commits of %s: GitHub names none; the token needs contents: read", b.branch)
	}
	b.tip, b.on = target.OID, map[string]bool{target.OID: true}
	for _, commit := range target.History.Nodes {
		b.on[commit.OID] = true
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
		if err := b.compare(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// compare asks about some commits in one query. One that GitHub no longer has is not
// on the branch.
func (b *branchCommits) compare(ctx context.Context, commits []string) error {
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
