package githubtest_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/breadcrumb/action/internal/githubtest"
)

const commitMutation = `mutation($input:CreateCommitOnBranchInput!){createCommitOnBranch(input:$input){commit{oid url}}}`

// commitOn is the input of createCommitOnBranch.
func commitOn(branch, expected string) object {
	return object{
		"branch":          object{"repositoryNameWithOwner": "octo-org/shop", "branchName": branch},
		"message":         object{"headline": "Heal", "body": "text"},
		"fileChanges":     object{"additions": []any{object{"path": "only.txt", "contents": base64.StdEncoding.EncodeToString([]byte("new\n"))}}},
		"expectedHeadOid": expected,
	}
}

func TestCommitOnBranch(t *testing.T) {
	t.Parallel()
	misspelt := commitOn("rename", head)
	misspelt["author"] = "mona"
	empty := commitOn("rename", head)
	empty["fileChanges"] = object{}
	for _, tt := range []struct {
		name, token string
		input       object
		refusal     string // type of the error, "" for a commit
	}{
		{"made", "job", commitOn("rename", head), ""},
		{"another head", "job", commitOn("rename", strings.Repeat("9", 40)), "STALE_DATA"},
		{"no such branch", "job", commitOn("none", head), "NOT_FOUND"},
		{"protected", "job", commitOn("stable", head), "BRANCH_PROTECTION_RULE_VIOLATION"},
		{"read-only", "fork", commitOn("rename", head), "FORBIDDEN"},
		{"an unknown field", "job", misspelt, "INVALID"},
		{"nothing changed", "job", empty, "UNPROCESSABLE"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start := state()
			start.Repositories[0].Branches = []githubtest.Branch{{Name: "stable", SHA: head, Protected: true}}
			s := newSite(t, githubtest.Options{State: start})
			got := s.ask(t, tt.token, "POST", "/graphql", object{"query": commitMutation, "variables": object{"input": tt.input}})
			if tt.refusal != "" {
				if kind := got.get(t, "errors", 0, "type"); kind != tt.refusal {
					t.Errorf("refused as %v, want %s", kind, tt.refusal)
				}
				if n := len(s.Commits("octo-org/shop")); n != 0 {
					t.Errorf("%d commits", n)
				}
				return
			}
			oid := got.get(t, "data", "createCommitOnBranch", "commit", "oid")
			if pull := s.ask(t, "job", "GET", shop+"/pulls/12", nil).get(t, "head", "sha"); pull != oid {
				t.Errorf("the head is %v, the commit %v", pull, oid)
			}
			if text := s.FileAt("octo-org/shop", "rename", "only.txt"); text != "new\n" {
				t.Errorf("text %q", text)
			}
			if text := s.FileAt("octo-org/shop", "rename", "tests/login.spec.ts"); text != "never: the first fits" {
				t.Errorf("another file is %q now", text)
			}
		})
	}
}
