package ci_test

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/store"
	"github.com/breadcrumb/action/store/sqlite"
)

// pullOffers is a merged pull request, by what its runs offered and the files of commits.
type pullOffers struct {
	offered []comment.Offers
	files   map[string]string // by commit and path
	fault   error
}

func (p *pullOffers) Save(context.Context, comment.Offers) error { return nil }

func (p *pullOffers) Earlier(context.Context, int) ([]comment.Offers, error) {
	return p.offered, p.fault
}

func (p *pullOffers) Merged(_ context.Context, since time.Time) ([]ci.Merged, error) {
	return []ci.Merged{{Number: 7, At: since.Add(time.Hour)}}, nil
}

func (p *pullOffers) FileAt(_ context.Context, commit, path string) ([]byte, error) {
	text, ok := p.files[commit+" "+path]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(text), nil
}

const (
	deployTest = "test('deploys', async ({ page }) => {\n  await page.click('#deploy');\n});\n"
	deployPath = "tests/deploy.spec.ts"
	lessonWas  = `["aaaaaaaaaaaaaaaa","name","Deploy to staging"]`
	lessonNow  = `["bbbbbbbbbbbbbbbb","name","Deploy to production"]`
)

// deployEdit is a suggested edit as a run offered it at a commit.
func deployEdit(change func(*comment.SavedEdit)) comment.SavedEdit {
	e := comment.SavedEdit{
		SavedElement: comment.SavedElement{ID: "0123abcd", Test: "deploys", Locator: "#deploy", Signature: "bbbbbbbbbbbbbbbb", Was: lessonWas, Now: lessonNow},
		Path:         deployPath, Blob: ci.BlobHash([]byte(deployTest)), Line: 2, Start: strings.Index(deployTest, "'#deploy'"), Old: "'#deploy'", New: "'#release'",
		Changed: true, Accepted: []engine.Fingerprint{{TestID: "deploys", Locator: "#release", Tag: "button", Text: "deploy to production"}},
	}
	if change != nil {
		change(&e)
	}
	return e
}

// runOn runs the default branch at commit m1.
func runOn(t *testing.T, db string, d ci.Deps, info engine.RunInfo) ci.Result {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "junit.xml"), `<testsuite name="s"><testcase name="deploys" classname="a" time="1"/></testsuite>`)
	info.Repository, info.RepositoryID, info.RunAttempt, info.Commit, info.StartedAt = "acme/shop", 7, 1, "m1", time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	d.Now, d.Log = deps().Now, deps().Log
	result, err := ci.Run(t.Context(), ci.Config{JUnit: []string{filepath.Join(dir, "junit.xml")}, DB: db, Repo: dir, Policy: flaky.PolicyEvidence, Missing: ci.MissingAuto, CommentKey: "default", Info: info}, d)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// saidIn returns the lessons of a database, and what is known of the new locator.
func saidIn(t *testing.T, path string) (lessons []store.Lesson, known string) {
	t.Helper()
	db, err := sqlite.OpenReading(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if lessons, err = db.Lessons(t.Context()); err != nil {
		t.Fatal(err)
	}
	f, _, _, err := db.Recall(t.Context(), "deploys", "#release")
	if err != nil {
		t.Fatal(err)
	}
	return lessons, f.Text
}

func TestAMergedEditThatWasOfferedTeaches(t *testing.T) {
	t.Parallel()
	taken := strings.Replace(deployTest, "#deploy", "#release", 1)
	main := engine.RunInfo{RunID: 1, Branch: "main", DefaultBranch: true}
	onHead := func(edits ...comment.SavedEdit) []comment.Offers { return []comment.Offers{{Head: "h1", Edits: edits}} }
	other := func(e *comment.SavedEdit) {
		e.Now, e.Signature = `["cccccccccccccccc","name","Delete"]`, "cccccccccccccccc"
	}
	for name, c := range map[string]struct {
		info    engine.RunInfo
		offered []comment.Offers
		after   string
		veto    store.Veto
		fault   error
		taught  bool
		notice  string
	}{
		"merged":                         {info: main, offered: onHead(deployEdit(nil)), after: taken, taught: true},
		"offered by two jobs alike":      {info: main, offered: []comment.Offers{onHead(deployEdit(nil))[0], onHead(deployEdit(nil))[0]}, after: taken, taught: true},
		"offered again, as another":      {info: main, offered: []comment.Offers{{Head: "h1", Edits: []comment.SavedEdit{deployEdit(nil)}}, {Head: "h0", Edits: []comment.SavedEdit{deployEdit(other)}}}, after: taken, taught: true},
		"not taken":                      {info: main, offered: onHead(deployEdit(nil)), after: deployTest},
		"taken and reverted":             {info: main, offered: onHead(deployEdit(nil)), after: deployTest + "// reverted\n"},
		"another edit":                   {info: main, offered: onHead(deployEdit(nil)), after: strings.Replace(deployTest, "#deploy", "#other", 1)},
		"the file is gone":               {info: main, offered: onHead(deployEdit(nil))},
		"for two elements":               {info: main, offered: onHead(deployEdit(nil), deployEdit(func(e *comment.SavedEdit) { other(e); e.ID = "0123abce" })), after: taken},
		"by a fork's tests":              {info: main, offered: []comment.Offers{{Head: "h1", Edits: onHead(deployEdit(nil))[0].Edits, Fork: true}}, after: taken},
		"for another text of the file":   {info: main, offered: onHead(deployEdit(func(e *comment.SavedEdit) { e.Blob = strings.Repeat("0", 40) })), after: taken},
		"for a commit that is not there": {info: main, offered: []comment.Offers{{Head: "h9", Edits: []comment.SavedEdit{deployEdit(nil)}}}, after: taken},
		"in a file of git's":             {info: main, offered: onHead(deployEdit(func(e *comment.SavedEdit) { e.Path = ".git/deploy.spec.ts" })), after: taken},
		"of no locator":                  {info: main, offered: onHead(deployEdit(func(e *comment.SavedEdit) { e.Start, e.Old, e.New = 5, "'deploys'", "'releases'" })), after: strings.Replace(deployTest, "deploys", "releases", 1)},
		"vetoed":                         {info: main, offered: onHead(deployEdit(nil)), after: taken, veto: store.Veto{TestID: "deploys", Locator: "#deploy", Signature: "bbbbbbbbbbbbbbbb"}},
		"another element vetoed":         {info: main, offered: onHead(deployEdit(nil)), after: taken, veto: store.Veto{TestID: "deploys", Locator: "#deploy", Signature: "cccccccccccccccc"}, taught: true},
		"too much to be kept":            {info: main, offered: onHead(deployEdit(func(e *comment.SavedEdit) { e.Was = strings.Repeat("x", store.MaxWords+1) })), after: taken, notice: "the edit 0123abcd that people took in pull request 7 teaches nothing"},
		"too many elements":              {info: main, offered: onHead(deployEdit(func(e *comment.SavedEdit) { e.Accepted = make([]engine.Fingerprint, 21) })), after: taken},
		"nobody tells what was offered":  {info: main, fault: errors.New("GitHub does not answer"), after: taken, notice: "the edits that people took in pull request 7 teach nothing: GitHub does not answer"},
		"not merged yet":                 {info: engine.RunInfo{RunID: 1, PullRequest: 7, Branch: "feature"}, offered: onHead(deployEdit(nil)), after: taken},
		"of a fork, not merged yet":      {info: engine.RunInfo{RunID: 1, PullRequest: 7, Branch: "feature", Fork: true}, offered: onHead(deployEdit(nil)), after: taken},
		"in a merge group":               {info: engine.RunInfo{RunID: 1, MergeGroup: []int{7}, Branch: "gh-readonly-queue/main/pr-7"}, offered: onHead(deployEdit(nil)), after: taken},
		"on another branch":              {info: engine.RunInfo{RunID: 1, Branch: "release"}, offered: onHead(deployEdit(nil)), after: taken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "breadcrumb.db")
			if c.veto.Locator != "" {
				db, err := sqlite.Open(t.Context(), path, sqlite.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(db.AddVeto(t.Context(), c.veto), db.Save(t.Context()), db.Close()); err != nil {
					t.Fatal(err)
				}
			}
			pull := &pullOffers{offered: c.offered, fault: c.fault, files: map[string]string{"h1 " + deployPath: deployTest, "h0 " + deployPath: deployTest, "h1 .git/deploy.spec.ts": deployTest}}
			if c.after != "" {
				pull.files["m1 "+deployPath], pull.files["m1 .git/deploy.spec.ts"] = c.after, c.after
			}
			for range 2 { // a second run teaches nothing more
				result := runOn(t, path, ci.Deps{Offers: pull}, c.info)
				c.info.RunID++
				said := false
				for _, n := range result.Outcome.Notices {
					said = said || c.notice != "" && strings.HasPrefix(n.Reason, c.notice)
				}
				if said != (c.notice != "") {
					t.Errorf("notices %+v, want %q", result.Outcome.Notices, c.notice)
				}
			}
			lessons, known := saidIn(t, path)
			if c.taught != (len(lessons) == 1 && known == "deploy to production") || !c.taught && len(lessons) > 0 {
				t.Errorf("lessons %+v, of the new locator %q", lessons, known)
			}
			if c.taught && (lessons[0].Who != "pull request 7" || !strings.Contains(lessons[0].Now, "production")) {
				t.Errorf("taught %+v", lessons[0])
			}
		})
	}
}
