package comment

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// Reply is the answer to one comment or tick, however many commands it held.
type Reply struct {
	To    string // key of what is answered, see [ValidKey]; a delivery that is repeated has the same
	lines []string
}

const replyStart = "<!-- breadcrumb:reply v1 to="

// Empty reports whether there is nothing to say.
func (r *Reply) Empty() bool { return len(r.lines) == 0 }

// Render returns the reply as GitHub-flavoured Markdown.
func (r *Reply) Render() string {
	text := replyStart + r.To + markerEnd + "\n" + strings.Join(r.lines, "\n\n") + "\n"
	return text[:min(len(text), CommentLimit)]
}

// Answered reports whether we have replied to this before.
func (s Conversation) Answered(to string) bool {
	return slices.ContainsFunc(s.Ours, func(c Comment) bool { return strings.HasPrefix(c.Body, replyStart+to+markerEnd) })
}

func (r *Reply) addLine(format string, a ...any) {
	text := fmt.Sprintf(format, a...)
	if !slices.Contains(r.lines, text) {
		r.lines = append(r.lines, text)
	}
}

// Denied says that somebody may not give commands here.
func (r *Reply) Denied(login string) {
	r.addLine("%s cannot do that: commands need write access to this repository.", codeSpan(login, 64))
}

// Unknown says that there is no such command.
func (r *Reply) Unknown(c Command) {
	if c.Verb == "" {
		r.Help()
		return
	}
	r.addLine("There is no command %s; `/breadcrumb help` lists them.", codeSpan(c.Verb, 40))
}

// Help lists the commands.
func (r *Reply) Help() {
	r.addLine(`| Command | What it does |
| :-- | :-- |
| %s | commits the edits with these ids, or all that were healed; a suggestion needs its id |
| %s | no longer offers the edit on this pull request; of a suggestion it also says what wrong does |
| %s | says that the edit's element is not the one that the locator lost |
| %s | takes that back, by the id that the answer to it has |
| %s | puts a test into quarantine |
| %s | takes it out again |
| %s | says what is known of a test |`,
		"`/breadcrumb apply [ID…\\|all]`", "`/breadcrumb ignore ID`", "`/breadcrumb wrong ID`", "`/breadcrumb undo ID`", "`/breadcrumb quarantine TEST`",
		"`/breadcrumb release TEST`", "`/breadcrumb explain TEST`")
}

// NoSuggestion says that an id names no suggested edit.
func (r *Reply) NoSuggestion(id string) {
	r.addLine("There is no edit %s here. The ids stand in Breadcrumb's comment.", codeSpan(id, 40))
}

// NothingToApply says that there is nothing to apply, and how suggestions are, where
// there are some.
func (r *Reply) NothingToApply(suggestions bool) {
	if suggestions {
		r.addLine("There is no edit of a heal to apply; a suggestion is applied by its id: `/breadcrumb apply ID`.")
		return
	}
	r.addLine("There is no edit to apply.")
}

// NeedsID says that a command lacks the id of an edit.
func (r *Reply) NeedsID(verb string) {
	r.addLine("Say which: %s.", codeSpan("/breadcrumb "+verb+" ID", 80))
}

// NeedsTest says that a command lacks a test's name.
func (r *Reply) NeedsTest(verb string) {
	r.addLine("Say which: %s.", codeSpan("/breadcrumb "+verb+" TEST", 80))
}

// Stale says that the head is not the one that the edits were made for.
func (r *Reply) Stale(was, is string) {
	r.addLine("Nothing was changed: the edits are for %s, and the head is now %s. The run on that commit offers them anew.", commitCode(was), commitCode(is))
}

// Closed says that the pull request is not open.
func (r *Reply) Closed() { r.addLine("Nothing was changed: the pull request is closed.") }

// Fork says that the head is in a repository that cannot be written to.
func (r *Reply) Fork() {
	r.addLine("Nothing was changed: the branch is in a fork, which Breadcrumb cannot push to. Take the suggestions or the diffs.")
}

// Unproven says why an edit was left out.
func (r *Reply) Unproven(o SavedEdit, why string) {
	r.addLine("Left out %s at %s: %s", codeSpan(o.ID, 16), codeSpan(text.Place(o.Path, o.Line), placeWidth), endSentence(prose(why, reasonWidth)))
}

// Committed says that edits were committed to the pull request's branch.
func (r *Reply) Committed(n int, commit Commit) {
	r.addLine("Committed %s in %s. A commit by a job's own token starts no workflow: push, or run the checks again.", text.Count(n, "edit", "edits"), commit.spanLink())
}

// MovedToBranch says that the edits went to a branch of their own.
func (r *Reply) MovedToBranch(n int, branch, pull string) {
	s := text.Count(n, "edit is", "edits are") + " on " + codeSpan(branch, 100)
	if isLinkable(pull) {
		r.addLine("The branch takes no direct commit, so %s: [open the pull request](%s).", s, pull)
		return
	}
	r.addLine("The branch takes no direct commit, so %s; open a pull request from it.", s)
}

// Failed says that something could not be done.
func (r *Reply) Failed(what, why string) {
	r.addLine("Could not %s: %s", what, endSentence(prose(why, reasonWidth)))
}

// Ignored says that an edit is ignored from now on.
func (r *Reply) Ignored(id string) {
	r.addLine("%s is ignored on this pull request.", codeSpan(id, 16))
}

// Vetoed says that an element is never again healed or suggested for a locator, unless the
// veto with this id is undone.
func (r *Reply) Vetoed(o SavedElement, veto string) {
	r.addLine("%s is wrong: that element is never again healed or suggested for %s. To undo that: %s.", codeSpan(o.ID, 16), lostBy(o.Test, o.Locator), codeSpan("/breadcrumb undo "+veto, 40))
}

// Unvetoed says that an element may be healed or suggested again for a locator.
func (r *Reply) Unvetoed(veto, test, lost string) {
	r.addLine("%s is undone: that element may be healed or suggested for %s again.", codeSpan(veto, 16), lostBy(test, lost))
}

// NoVeto says that an id names no veto.
func (r *Reply) NoVeto(id string) {
	r.addLine("Nothing is vetoed under %s. The ids stand in the answers to `/breadcrumb wrong` and beside the locators that were not healed.", codeSpan(id, 40))
}

func lostBy(test, lost string) string {
	return codeSpan(outcome.Lost(engine.HealEvent{TestID: engine.NewTestID(test), Locator: lost}), nameWidth)
}

// Quarantined says that a test entered quarantine.
func (r *Reply) Quarantined(test string, known bool) {
	text := codeSpan(test, nameWidth) + " is in quarantine until `/breadcrumb release` takes it out."
	if !known {
		text += " No test of that name has run in this database: check its name."
	}
	r.addLine("%s", text)
}

// Deferred says from when on a decision counts on pull requests.
func (r *Reply) Deferred() {
	r.addLine("On pull requests this counts from the next run of this workflow on the default branch on.")
}

// Released says that a test left quarantine, or was not there.
func (r *Reply) Released(test string, was bool) {
	if !was {
		r.addLine("%s is not in quarantine.", codeSpan(test, nameWidth))
		return
	}
	r.addLine("%s left quarantine.", codeSpan(test, nameWidth))
}

// Explanation is what is known of a test.
type Explanation struct {
	Test       string
	Known      bool
	Health     flaky.TestHealth
	Quarantine *flaky.Entry
	Who        string // who changed its quarantine last, "" for nobody
}

// Explain says what is known of a test.
func (r *Reply) Explain(e Explanation) {
	if !e.Known && e.Quarantine == nil {
		r.addLine("%s is not known here: no run in this database had it.", codeSpan(e.Test, nameWidth))
		return
	}
	s := codeSpan(e.Test, nameWidth) + ": "
	if e.Health.Runs > 0 {
		s += e.Health.Words()
	} else {
		s += "no execution is known"
	}
	if q := e.Quarantine; q != nil {
		s += "; in quarantine since " + q.Since.UTC().Format(time.DateOnly)
		if e.Who != "" && !strings.Contains(q.Reason, e.Who) {
			s += " by " + codeSpan(e.Who, 64)
		}
		s += reasonSuffix(q.Reason)
	} else {
		s += "; not in quarantine"
	}
	r.addLine("%s", endSentence(s))
}

func reasonSuffix(reason string) string {
	if reason = prose(reason, reasonWidth); reason == "" {
		return ""
	}
	return ": " + reason
}

// Commit is a commit that was made.
type Commit struct {
	SHA string
	URL string
}

func (c Commit) spanLink() string {
	if !isLinkable(c.URL) {
		return commitCode(c.SHA)
	}
	return linkSpan(commitCode(c.SHA), c.URL)
}

func commitCode(sha string) string {
	if !commitForm.MatchString(sha) {
		return "an unknown commit"
	}
	return codeSpan(sha[:7], 7)
}

var linkForm = lazyregexp.New(`^https?://[A-Za-z0-9.:_/?=&%~#-]+$`)

// isLinkable reports whether a forge's address can stand in a link.
func isLinkable(url string) bool { return linkForm.MatchString(url) }

func endSentence(text string) string {
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}
