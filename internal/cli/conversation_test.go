package cli_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/breadcrumb/action/ci/gh/archive"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/internal/githubtest"
)

// The repository and pull request that scripts talk on.
const (
	shop   = "acme/shop"
	thePR  = 7
	jobBot = "github-actions[bot]"
)

// conversation are the commands by which scripts are people on a pull request.
func conversation() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"say": cmdSay, "tick": cmdTick, "forge": cmdForge, "answer": cmdAnswer, "push": cmdPush, "merge": cmdMerge, "protect": cmdProtect,
		"suggestions": cmdSuggestions, "commits": cmdCommits, "pulls": cmdPulls, "fault": cmdFault, "requests": cmdRequests,
	}
}

func github(ts *testscript.TestScript) *githubtest.Server { return ts.Value(hostKey{}).(*host).server }

// need stops a script whose command lacks arguments.
func need(ts *testscript.TestScript, neg bool, args []string, n int, usage string) {
	if neg || len(args) < n {
		ts.Fatalf("usage: %s", usage)
	}
}

// writeEvent writes event.json and prepares the environment for it.
func writeEvent(ts *testscript.TestScript, action, sender string, c githubtest.Comment, before string) {
	kind := "User"
	if strings.HasSuffix(sender, "[bot]") {
		kind = "Bot"
	}
	event := map[string]any{
		"action":     action,
		"repository": map[string]any{"id": 42, "full_name": shop, "default_branch": "main"},
		"issue":      map[string]any{"number": c.Issue, "pull_request": map[string]any{}},
		"comment":    map[string]any{"id": c.ID, "body": c.Body, "user": map[string]any{"login": c.Author, "type": "User"}, "author_association": "OWNER"},
		"sender":     map[string]any{"login": sender, "type": kind},
	}
	if action == "edited" {
		event["changes"] = map[string]any{"body": map[string]any{"from": before}}
	}
	text, err := json.Marshal(event)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("comment.json"), text, 0o666))
	ts.Setenv("GITHUB_EVENT_NAME", "issue_comment")
	ts.Setenv("GITHUB_SHA", strings.Repeat("3", 40)) // the default branch's
	ts.Setenv("GITHUB_EVENT_PATH", ts.MkAbs("comment.json"))
}

// cmdSay writes a comment, from a file or as words, and the event of it:
// say USER TEXT… or say USER -file FILE
func cmdSay(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "say USER TEXT…")
	text := strings.Join(args[1:], " ")
	if args[1] == "-file" {
		text = ts.ReadFile(args[2])
	}
	writeEvent(ts, "created", args[0], github(ts).Say(shop, thePR, args[0], text), "")
}

// cmdTick ticks the boxes of edits, by their order, in our comment: tick USER N…
func cmdTick(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "tick USER N…")
	for _, c := range github(ts).Comments(shop) {
		if c.Author != jobBot || !strings.Contains(c.Body, "- [ ] apply ") {
			continue
		}
		lines := strings.Split(strings.ReplaceAll(c.Body, "\r\n", "\n"), "\n")
		box := 0
		for i, l := range lines {
			if !strings.HasPrefix(l, "- [ ] apply ") {
				continue
			}
			box++
			for _, arg := range args[1:] {
				if n, err := strconv.Atoi(arg); err == nil && n == box {
					lines[i] = "- [x]" + strings.TrimPrefix(l, "- [ ]")
				}
			}
		}
		before := github(ts).Reword(shop, c.ID, strings.Join(lines, "\r\n"))
		c.Body = strings.Join(lines, "\r\n")
		writeEvent(ts, "edited", args[0], c, before.Body)
		return
	}
	ts.Fatalf("no comment with a box")
}

// cmdForge puts another literal, and another file, into the edits that the comment
// remembers. With -offered it does so in the artifact of the run, too, as a job of the
// pull request can: forge [-offered] LITERAL [PATH]
func cmdForge(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "forge [-offered] LITERAL [PATH]")
	offered := args[0] == "-offered"
	if offered {
		args = args[1:]
	}
	for _, c := range github(ts).Comments(shop) {
		state, ok := comment.ParseState(c.Body)
		if !ok {
			continue
		}
		for i := range state.Edits {
			state.Edits[i].New = args[0]
			if len(args) > 1 {
				state.Edits[i].Path = args[1]
			}
		}
		github(ts).Reword(shop, c.ID, comment.WithState(c.Body, state, nil))
		if offered {
			forgeOffers(ts, comment.Offers{Head: state.Head, Edits: state.Edits})
		}
		return
	}
	ts.Fatalf("no comment remembers edits")
}

// forgeOffers puts other offers into the artifacts of offers.
func forgeOffers(ts *testscript.TestScript, o comment.Offers) {
	zip, err := archive.Zip(fstest.MapFS{"offers.json": {Data: o.Pack()}})
	ts.Check(err)
	changeState(ts, func(state *githubtest.State) {
		for i := range state.Repositories[0].Artifacts {
			if a := &state.Repositories[0].Artifacts[i]; strings.HasPrefix(a.Name, "breadcrumb-offers-") {
				a.Content, a.Digest = zip, fmt.Sprintf("sha256:%x", sha256.Sum256(zip))
			}
		}
	})
}

// cmdAnswer answers the first suggestion: answer USER TEXT
func cmdAnswer(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "answer USER TEXT")
	for _, v := range github(ts).Reviews(shop, thePR) {
		for _, x := range v.Comments {
			github(ts).Answer(shop, x.ID, args[0], args[1])
			return
		}
	}
	ts.Fatalf("no suggestion to answer")
}

// cmdPush moves the head, and gives it the patches and texts of files:
// push SHA [PATH PATCH TEXT]…
func cmdPush(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "push SHA [PATH PATCH TEXT]…")
	var files []githubtest.File
	texts := map[string]string{}
	for i := 1; i+2 < len(args); i += 3 {
		texts[args[i]] = ts.ReadFile(args[i+2])
		files = append(files, githubtest.File{Name: args[i], Patch: strings.TrimSuffix(ts.ReadFile(args[i+1]), "\n")})
	}
	if len(args) == 1 {
		files = github(ts).Pulls(shop)[0].Files
	}
	github(ts).Push(shop, thePR, strings.Repeat(args[0], 40), files, texts)
}

// cmdMerge merges the pull request by a commit: merge SHA
func cmdMerge(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "merge SHA")
	github(ts).Merge(shop, thePR, strings.Repeat(args[0], 40))
}

// cmdProtect makes a branch take no direct commit: protect BRANCH
func cmdProtect(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "protect BRANCH")
	github(ts).Protect(shop, args[0])
}

// cmdSuggestions prints the comments on the diff, or with a count demands that
// there are so many: suggestions [COUNT]
func cmdSuggestions(ts *testscript.TestScript, _ bool, args []string) {
	n := 0
	for _, v := range github(ts).Reviews(shop, thePR) {
		for _, x := range v.Comments {
			if x.Minimized != "" {
				fmt.Fprintf(ts.Stdout(), "(minimised as %s) ", x.Minimized)
			} else if x.ReplyTo == 0 {
				n++
			}
			fmt.Fprintf(ts.Stdout(), "review %d: %s:%d outdated=%t\n%s\n", v.ID, x.Path, x.Line, x.Outdated, x.Body)
		}
	}
	if len(args) == 1 && strconv.Itoa(n) != args[0] {
		ts.Fatalf("%d suggestions, want %s", n, args[0])
	}
}

// cmdCommits prints the commits that were made with their messages, or a file
// at a branch: commits [BRANCH PATH]
func cmdCommits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) == 2 {
		fmt.Fprint(ts.Stdout(), github(ts).FileAt(shop, args[0], args[1]))
		return
	}
	commits := github(ts).Commits(shop)
	fmt.Fprintf(ts.Stdout(), "%d commits\n", len(commits))
	for _, c := range commits {
		fmt.Fprintf(ts.Stdout(), "%s on %s by %s\n%s\n", strings.Join(c.Paths, " "), c.Branch, c.Author, c.Message)
	}
}

// cmdPulls prints the pull requests: pulls
func cmdPulls(ts *testscript.TestScript, _ bool, _ []string) {
	for _, pr := range github(ts).Pulls(shop) {
		fmt.Fprintf(ts.Stdout(), "#%d %s: %s into %s by %s\n%s\n", pr.Number, pr.Title, pr.HeadRef, pr.BaseRef, pr.Author, pr.Body)
	}
}

// cmdFault makes the next requests fail, "limit" by the secondary rate limit,
// "drop" by an answer that is lost: fault METHOD PATH STATUS|limit|drop [TIMES]
func cmdFault(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 3, "fault METHOD PATH STATUS|limit|drop [TIMES]")
	f := githubtest.Fault{Times: 1, Message: "No"}
	switch args[2] {
	case "limit":
		f = githubtest.SecondaryLimit(429, "1")
	case "drop":
		f.Drop = githubtest.DropAfter
	default:
		f.Status, _ = strconv.Atoi(args[2])
	}
	f.Method, f.Path = args[0], args[1]
	if len(args) > 3 {
		f.Times, _ = strconv.Atoi(args[3])
	}
	github(ts).Inject(f)
}

// cmdRequests prints the requests since it was last called, and how many they
// were: requests
func cmdRequests(ts *testscript.TestScript, _ bool, _ []string) {
	h := ts.Value(hostKey{}).(*host)
	all := h.server.Requests()
	for _, r := range all[h.seen:] {
		fmt.Fprintf(ts.Stdout(), "%s %s %d\n", r.Method, r.Path, r.Status)
	}
	fmt.Fprintf(ts.Stdout(), "%d requests\n", len(all)-h.seen)
	h.seen = len(all)
}
