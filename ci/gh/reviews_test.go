package gh_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/internal/githubtest"
)

func TestChangedFilesAreAllOrAnError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		files, requests int
		err             bool
	}{
		{0, 1, false}, {1, 1, false}, {100, 1, false}, {101, 2, false}, {301, 4, false}, {2999, 30, false},
		{3000, 30, true}, {3500, 30, true},
	} {
		t.Run(fmt.Sprint(c.files, " files"), func(t *testing.T) {
			state := onePull()
			var want []string
			for i := range c.files {
				name := fmt.Sprintf("tests/page%04d.spec.ts", i)
				state.Repositories[0].PullRequests[0].Files = append(state.Repositories[0].PullRequests[0].Files, githubtest.File{Name: name})
				want = append(want, name)
			}
			w := newWorld(t, githubtest.Options{State: state})
			got, err := w.Client.Comments(repo).ChangedFiles(t.Context(), 12)
			if (err != nil) != c.err {
				t.Fatalf("error %v, want one: %v", err, c.err)
			}
			if c.err {
				if !strings.Contains(err.Error(), "3000 files at most") || got != nil {
					t.Errorf("%d files, error %v", len(got), err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if n := w.github.Count("GET", "/repos/octo-org/shop/pulls/12/files"); n != c.requests {
				t.Errorf("%d requests, want %d", n, c.requests)
			}
		})
	}
}

func TestChangedFilesNameAMovedFileByBothNames(t *testing.T) {
	t.Parallel()
	state := onePull()
	state.Repositories[0].PullRequests[0].Files = []githubtest.File{{Name: "new/a.spec.ts", Previous: "old/a.spec.ts", Status: "renamed"}}
	got, err := newWorld(t, githubtest.Options{State: state}).Client.Comments(repo).ChangedFiles(t.Context(), 12)
	slices.Sort(got)
	if diff := cmp.Diff([]string{"new/a.spec.ts", "old/a.spec.ts"}, got); err != nil || diff != "" {
		t.Errorf("error %v, files (-want +got):\n%s", err, diff)
	}
}
