// Package promise holds what the documents promise and how often tests try to break
// it. The tests take their numbers from here and the documents show this table, so
// that none of the three can say something else than the others.
package promise

import (
	"os"
	"slices"
	"testing"
)

// Promise is one row of a document's table.
type Promise struct {
	Document string // below docs
	What     string // is promised
	Key      string // by which the test asks for its number
	Test     string // package and name of the test
	CI, Soak int    // how often the test tries to break it, in CI and in `make soak`
	Unit     string // of the numbers
}

// All are the promises in the order of the documents.
var All = []Promise{
	{"security.md", "Every parser of outside bytes is fuzzed: 3 seconds each in CI, 2 minutes in `make soak`", "fuzz", "internal/promise TestEveryFuzzTargetIsCounted", 73, 73, "fuzz targets"},
	{"security.md", "No secret in an error text is shown or kept", "canaries", "engine/redact TestNoCanaryGetsThrough", 200, 200, "canaries"},
	{"security.md", "No text of a test run becomes markup, a mention or a link", "texts", "comment TestHostileTextChangesNeitherStructureNorLinks", 3042, 3042, "hostile texts"},
	{"security.md", "No path leads an edit out of the checkout", "paths", "ci TestFiveThousandHostilePathsWriteNothing", 5000, 5000, "hostile paths"},
	{"security.md", "No name of git's or the forge's files may be edited", "names", "engine/patch TestNoFileOfGitOrTheForgeIsEditedUnderAnyOfItsNames", 31, 31, "names"},
	{"security.md", "No changed comment makes an edit that no run offered", "comments", "ci/gh TestAForgedCommentMakesNoEditThatNoRunOffered", 10, 10, "forged comments"},
	{"security.md", "No changed comment keeps an element as wrong that no run named", "vetoes", "ci/gh TestAForgedCommentVetoesNoElementThatNoRunNamed", 12, 12, "forged comments"},
	{"security.md", "A commit that was never the default branch's tip makes no history, in whichever way the branch moved", "tips", "ci/gh TestARunCountsForACommitThatWasTheBranchsTip", 13, 13, "ways"},
	{"security.md", "No pull request changes a verdict of the default branch", "flips", "ci TestAPullRequestThatFlips1000TimesChangesNoVerdictOfTheDefaultBranch", 1000, 1000, "flips"},

	{"internals/state.md", "Deltas give one history in whatever order, grouping and number they come", "merges", "store/sqlite TestMergeForgetsOrderRepetitionAndGrouping", 12, 1000, "sets of deltas"},
	{"internals/state.md", "A process that is killed loses nothing that it saved", "kills", "store/sqlite TestKilledAtRandomLosesNothingSaved", 12, 1000, "kills"},
	{"internals/state.md", "A judge that goes on knows what a new one would", "resumed", "store/sqlite TestAResumedJudgeKnowsWhatANewOneDoes", 4, 8, "histories"},
	{"internals/state.md", "A damaged database is refused, and nothing hangs", "damage", "state TestADamagedDatabaseNeverPanicsOrHangs", 150, 10_000, "damaged files"},
	{"internals/state.md", "Nothing that a Breadcrumb of two schema versions back or ahead wrote is lost: the older is brought up to date, what is unknown of the newer outlives the older one's write, and a newer one that says it cannot be read is left as it is", "schemas", "state TestSchemasTwoVersionsAwayLoseNothing", 16, 16, "schemas"},
	{"internals/state.md", "A forged item excuses nobody", "items", "state TestForgedStateExcusesNobody", 23, 23, "forged items"},
	{"internals/state.md", "A forged artifact is refused", "artifacts", "ci/gh TestForgedArtifactsAreRefused", 14, 14, "forged artifacts"},
	{"internals/state.md", "Runs at the same time lose nothing", "crowd", "state TestNoRunIsLostInACrowd", 80, 200, "runs at once"},
	{"internals/state.md", "Nor do they on GitHub's artifacts, caches and branches", "crowd on GitHub", "ci/gh TestACrowdOnGitHubLosesNoRow", 40, 200, "runs at once"},
	{"internals/state.md", "A fault of GitHub duplicates nothing and changes no verdict", "faults", "ci/gh TestFaultsOfGitHubDuplicateNothing", 165, 165, "faults"},
	{"internals/state.md", "An organisation's history stays what its runs said", "organisation", "test/organisation TestOrganisation", 60, 10_000, "steps from each seed"},
}

// Count returns how often the running test has to try, by the key of its promise.
func Count(key string) int {
	p := find(key)
	if os.Getenv("BREADCRUMB_LONG") != "" {
		return p.Soak
	}
	return p.CI
}

// Tried fails the test where it tried another number than its promise says.
func Tried(tb testing.TB, key string, n int) {
	tb.Helper()
	if want := Count(key); n != want {
		tb.Errorf("tried %d %s, and package promise says %d: the documents show its table", n, find(key).Unit, want)
	}
}

func find(key string) Promise {
	return All[slices.IndexFunc(All, func(p Promise) bool { return p.Key == key })]
}
