package comment

import (
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
)

func TestFileLinks(t *testing.T) {
	head := strings.Repeat("a", 40)
	base := "https://github.com/o/r/blob/" + head + "/"
	info := engine.RunInfo{Repository: "o/r", HeadSHA: head, Commit: strings.Repeat("b", 40)}
	for _, tt := range []struct {
		name, file string
		line       int
		want       string
	}{
		{"a line", "tests/a.spec.ts", 12, base + "tests/a.spec.ts#L12"},
		{"a file", "tests/a.spec.ts", 0, base + "tests/a.spec.ts"},
		{"characters of Markdown and URLs", "a b/c(d)[e]?f#g%h&i*_.ts", 1, base + "a%20b/c%28d%29%5Be%5D%3Ff%23g%25h%26i%2A_.ts#L1"},
		{"other alphabets", "tests/ü.ts", 1, base + "tests/%C3%BC.ts#L1"},
		{"outside", "../a.ts", 1, ""},
		{"outside by a detour", "a/../../b.ts", 1, ""},
		{"absolute", "/etc/passwd", 1, ""},
		{"an address", "https://evil.example/x", 1, ""},
		{"windows", `C:\a.ts`, 1, ""},
		{"control characters", "a\x00b.ts", 1, ""},
		{"empty", "", 1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := newLinks("", info).file(tt.file, tt.line); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestLinksStayInTheRepositoryOrAreNone(t *testing.T) {
	sha := strings.Repeat("a", 40)
	for _, tt := range []struct {
		name, server string
		info         engine.RunInfo
		want         string // of file a at line 1
	}{
		{"the tested commit without a head", "", engine.RunInfo{Repository: "o/r", Commit: sha}, "https://github.com/o/r/blob/" + sha + "/a#L1"},
		{"a server of one's own", "https://git.example:8443/gh/", engine.RunInfo{Repository: "o/r", Commit: sha}, "https://git.example:8443/gh/o/r/blob/" + sha + "/a#L1"},
		{"a branch for a commit", "", engine.RunInfo{Repository: "o/r", Commit: "main"}, ""},
		{"no repository", "", engine.RunInfo{Commit: sha}, ""},
		{"a repository that climbs", "", engine.RunInfo{Repository: "../r", Commit: sha}, ""},
		{"a repository with markup", "", engine.RunInfo{Repository: "o/r)[x](y", Commit: sha}, ""},
		{"a server of another scheme", "javascript://x", engine.RunInfo{Repository: "o/r", Commit: sha}, ""},
		{"a server with a user", "https://a@b.example", engine.RunInfo{Repository: "o/r", Commit: sha}, ""},
		{"a server with markup", "https://b.example)", engine.RunInfo{Repository: "o/r", Commit: sha}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := newLinks(tt.server, tt.info).file("a", 1); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestTheArtifactOfTheRunIsLinked(t *testing.T) {
	run := outcome.Run{Info: engine.RunInfo{Repository: "o/r", RunID: 9, RunAttempt: 2}}
	for id, want := range map[int64]string{7: " · [reports and traces](https://github.com/o/r/actions/runs/9/artifacts/7)", 0: "", -1: ""} {
		line := newPage(run, Options{ArtifactID: id}).factLine()
		if strings.Contains(line, "artifacts/") != (want != "") || !strings.Contains(line, want) {
			t.Errorf("artifact %d: %s", id, line)
		}
	}
	if line := newPage(outcome.Run{}, Options{ArtifactID: 7}).factLine(); strings.Contains(line, "artifacts") {
		t.Errorf("a local run links %s", line)
	}
}

func TestRunPage(t *testing.T) {
	l := newLinks("", engine.RunInfo{Repository: "o/r"})
	for attempt, want := range map[int]string{
		0: "https://github.com/o/r/actions/runs/9", 1: "https://github.com/o/r/actions/runs/9", 3: "https://github.com/o/r/actions/runs/9/attempts/3",
	} {
		if got := l.runPage(engine.RunInfo{RunID: 9, RunAttempt: attempt}); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := l.runPage(engine.RunInfo{}); got != "" {
		t.Errorf("a local run has the page %s", got)
	}
}

func TestPlacesOfACheckoutFolderBeginAtTheRepositorysTop(t *testing.T) {
	unplaced := cartHeal()
	unplaced.Edit = nil
	text := Render(outcome.Run{
		Info: pullRequest, Root: "apps/web",
		Verdict:   flaky.Verdict{Blocking: []flaky.Failure{playwrightFailure()}, Notices: []engine.Notice{{File: "results/a.xml", Reason: "cut off"}}},
		Proposals: []patch.Proposal{loginHeal(), unplaced}, Refused: []engine.HealEvent{refusedHeal()},
	}, Options{})
	blob := "https://github.com/octo-shop/web/blob/" + pullRequest.HeadSHA + "/apps/web/"
	for _, want := range []string{
		"**`Checkout › applies the discount code`** · [`apps/web/tests/checkout.spec.ts:48`](" + blob + "tests/checkout.spec.ts#L48)",
		" · [`login.spec.ts:12`](" + blob + "tests/login.spec.ts#L12)",
		" · [`cart.ts:31`](" + blob + "tests/pages/cart.ts#L31)",
		"Diff of <code>apps/web/tests/login.spec.ts:12</code>",
		"\n--- a/apps/web/tests/login.spec.ts\n+++ b/apps/web/tests/login.spec.ts\n",
		"[`profile.spec.ts:27`](" + blob + "tests/profile.spec.ts#L27)",
		"**Report problem**: `results/a.xml`: cut off", // a report, named from the working directory
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in:\n%s", want, text)
		}
	}
}
