package e2e_test

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/breadcrumb/action/internal/githubtest"
)

// The repository of every story, and its people.
const (
	shop   = "acme/shop"
	shopID = 42
	forkID = 99
	thePR  = 7
	bot    = "github-actions[bot]"

	onlooker = "ghp_ada" // token with which a story looks at what became of it
)

// story is one script's GitHub and what has run there.
type story struct {
	github       *githubtest.Server
	api, results string // addresses
	elsewhere    bool   // emulate answers
	main         string // commit of the default branch
	pull         string // folder of the pull request's head, "" without one
	fork         bool
	ran, before  job // last, and last but one
	runs         int64
	said         githubtest.Comment // last
	trap         trap
	asked        int // requests that were printed
}

type storyKey struct{}

func the(ts *testscript.TestScript) *story { return ts.Value(storyKey{}).(*story) }

func setUp(env *testscript.Env) error {
	env.Values[storyKey{}] = &story{}
	return nil
}

// commands are the stories' own commands.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"github": cmdGitHub, "pull": cmdPull, "push": cmdPush, "land": cmdLand, "say": cmdSay, "run": cmdRun, "rerun": cmdRerun,
		"client": cmdClient, "forget": cmdForget, "down": cmdDown, "up": cmdUp, "cancel": cmdCancel, "abort": cmdAbort, "checks": cmdChecks,
		"comments": cmdComments, "reviews": cmdReviews, "artifacts": cmdArtifacts, "artifact": cmdArtifact, "sql": cmdSQL, "requests": cmdRequests, "commits": cmdCommits,
	}
}

// need stops a script whose command lacks arguments.
func need(ts *testscript.TestScript, neg bool, args []string, least, most int, usage string) {
	if neg || len(args) < least || len(args) > most {
		ts.Fatalf("usage: %s", usage)
	}
}

// cmdGitHub starts a GitHub with the repository acme/shop, whose branch main has
// the files of a folder. With -emulate npm's emulate answers in the place of
// githubtest what it knows: github [-emulate] MAIN
func cmdGitHub(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, 2, "github [-emulate] MAIN")
	s := the(ts)
	s.elsewhere, s.main = len(args) == 2, sha("main")
	s.github = githubtest.New(githubtest.Options{Now: time.Now, State: githubtest.State{
		LastID: 100,
		Tokens: []githubtest.Token{{Token: onlooker, Login: "ada"}},
		Repositories: []githubtest.Repository{{
			ID: shopID, FullName: shop, DefaultBranch: "main", Permissions: map[string]string{"ada": "write"},
			Branches: []githubtest.Branch{{Name: "main", SHA: s.main}}, Contents: contents(ts, args[len(args)-1], ""),
		}, {ID: forkID, FullName: "mallory/shop", DefaultBranch: "main"}},
	}})
	var handler http.Handler = s.github
	if s.elsewhere {
		handler = s.emulator(ts)
	}
	s.serve(ts, handler)
	if s.elsewhere {
		s.main = s.mainThere(ts)
	}
	ts.Check(os.Rename(ts.MkAbs(args[len(args)-1]), ts.MkAbs(".main")))
}

// cmdPull opens the pull request, whose head has the files of a folder:
// pull [-fork] HEAD
func cmdPull(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, 2, "pull [-fork] HEAD")
	s := the(ts)
	s.pull, s.fork = args[len(args)-1], len(args) == 2
	pr := githubtest.PullRequest{Number: thePR, Title: "Redesign", Author: "ada", HeadRef: "redesign", HeadSHA: sha(s.pull), BaseRef: "main", BaseSHA: s.main,
		Files: changes(ts, ".main", s.pull)}
	if s.fork {
		pr.Author, pr.HeadRepository = "mallory", "mallory/shop"
	}
	s.github.OpenPull(shop, pr, contents(ts, s.pull, pr.HeadSHA))
	if s.elsewhere {
		s.pullThere(ts)
	}
}

// cmdPush pushes the files of a folder to the pull request: push HEAD
func cmdPush(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, 1, "push HEAD")
	s := the(ts)
	s.pull = args[0]
	texts := map[string]string{}
	for _, c := range contents(ts, s.pull, "") {
		texts[c.Path] = c.Text
	}
	s.github.Push(shop, thePR, sha(s.pull), changes(ts, ".main", s.pull), texts)
}

// cmdLand is a commit on the default branch that changes no file: land NAME
func cmdLand(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, 1, "land NAME")
	the(ts).main = sha(args[0])
}

// sha returns a commit for a name.
func sha(name string) string {
	sum := sha1.Sum([]byte(name))
	return hex.EncodeToString(sum[:])
}

// contents returns the files of a folder as they are at ref.
func contents(ts *testscript.TestScript, dir, ref string) []githubtest.Content {
	var all []githubtest.Content
	root := ts.MkAbs(dir)
	ts.Check(filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		all = append(all, githubtest.Content{Ref: ref, Path: filepath.ToSlash(name), Text: string(text)})
		return err
	}))
	return all
}

var fileHeader = regexp.MustCompile(`(?m)^diff --git .*\n(?:[^@].*\n)*?--- .*\n\+\+\+ b/(?:[^/]+/)?(.*)\n`)

// changes returns what git says that differs between two folders.
func changes(ts *testscript.TestScript, from, to string) []githubtest.File {
	cmd := exec.Command("git", "diff", "--no-index", "--no-color", from, to)
	cmd.Dir = ts.Getenv("WORK")
	out, _ := cmd.Output() // exits 1 for a difference
	text := string(out)
	var files []githubtest.File
	at := fileHeader.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		files = append(files, githubtest.File{Name: text[m[2]:m[3]], Patch: strings.TrimSuffix(text[m[1]:end], "\n")})
	}
	return files
}

// cmdSay writes a comment on the pull request: say USER TEXT…
func cmdSay(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, 99, "say USER TEXT…")
	the(ts).said = the(ts).github.Say(shop, thePR, args[0], strings.Join(args[1:], " "))
}

// cmdRequests prints the requests since it was last called: requests
func cmdRequests(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 0, 0, "requests")
	s := the(ts)
	all := s.github.Requests()
	for _, r := range all[s.asked:] {
		fmt.Fprintf(ts.Stdout(), "%s %s %d\n", r.Method, r.Path, r.Status)
	}
	s.asked = len(all)
}

// cmdCommits demands that so many commits were made, and prints them, or a file
// at a branch: commits COUNT [BRANCH PATH]
func cmdCommits(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, 3, "commits COUNT [BRANCH PATH]")
	made := the(ts).github.Commits(shop)
	if args[0] != strconv.Itoa(len(made)) {
		ts.Fatalf("%d commits, want %s", len(made), args[0])
	}
	if len(args) == 3 {
		fmt.Fprint(ts.Stdout(), the(ts).github.FileAt(shop, args[1], args[2]))
		return
	}
	for _, c := range made {
		fmt.Fprintf(ts.Stdout(), "%s %s\n%s\n", c.Branch, strings.Join(c.Paths, " "), c.Message)
	}
}
