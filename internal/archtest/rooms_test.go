package archtest

// Module is the project's module path.
const Module = "github.com/breadcrumb/action"

// anyRoom stands for every room of the product, pureRooms for engine and all below it.
const (
	anyRoom   = "*"
	pureRooms = "engine/..."
)

// lazyRegexp is the room that every room may import.
const lazyRegexp = "internal/lazyregexp"

// layer is a group of rooms with a title.
type layer struct {
	title string
	rooms []room
}

// room is a package, with the packages below it that are no rooms of their own.
type room struct {
	name    string   // in the module, "" for main
	purpose string   // in a few words
	imports []string // what it may import of the project
}

// layers is the table of rooms, from the top down: a room imports only rooms
// below it. CONTRIBUTING.md shows it; -update writes it there. Types of engine
// stand in the signatures of ci and comment, so whoever implements those may
// import it.
var layers = []layer{
	{"The command", []room{
		{"", "calls the command", []string{"internal/cli"}},
		{"cmd/breadcrumb", "the same, under the name that `go install` gives it", []string{"internal/cli"}},
		{"internal/cli", "subcommands, flags, settings, signals; connects the rooms", []string{anyRoom}},
		{"internal/setup", "`init`: finds the test suites, writes workflows and settings", []string{"engine", "internal/pwconfig", "internal/workflowlint", "internal/playwrightgo"}},
		{"internal/workflowlint", "`doctor --workflow`: what is unsafe in a workflow, one rule each", nil},
		{"internal/checkout", "reads from git what a run tested: branch, commit, changes", nil},
		{"internal/pwconfig", "reads and improves a Playwright configuration", nil},
		{"internal/manpage", "the manual page from the commands' help", nil},
		{"internal/healtool", "`heal`: the engine on two HTML files", []string{pureRooms}},
	}},
	{"One CI run", []room{
		{"ci/gh", "GitHub: event, comments, reviews, commits, backends, outputs; nobody else speaks to it", []string{"ci", "ci/command", "comment", "state", "ci/gh/resultsservice", "ci/gh/archive", pureRooms}},
		{"ci/gh/archive", "zip and tar archives of the state, bounded", []string{"state"}},
		{"ci/gh/resultsservice", "the Actions service of artifacts and caches", nil},
		{"ci/command", "carries out `/breadcrumb` commands and ticked boxes", []string{"ci", "comment", "store", "store/postgres", "state", pureRooms}},
		{"ci", "one run, a method a step: load, record, judge, propose, save, publish, persist", []string{pureRooms, "internal/heap", "internal/replace", "junit", "store", "store/sqlite", "store/postgres", "state", "health", "comment", "report", "trace", "picture", "junit/blob", "junit/identity", "junit/location"}},
	}},
	{"What people read and ask", []room{
		{"mcp", "the assistant's server", []string{pureRooms, "store", "store/sqlite", "store/postgres", "health", "report", "generate", "junit/identity"}},
		{"report/htmlreport", "the report as HTML", []string{pureRooms, "internal/browsertest"}},
		{"report", "the outcome of a run and the survey of the history: console, JSON, badge", []string{pureRooms}},
		{"comment", "the sticky comment, the review, the replies, the job summary", []string{pureRooms}},
		{"health", "how tests, quarantine and database are doing, for report, doctor and mcp alike", []string{pureRooms, "store", "state"}},
		{"replay", "a quarantine policy on a recorded history", []string{"engine", "engine/flaky"}},
		{"generate", "page objects and tests for a site", []string{pureRooms, "internal/browsertest", "internal/playwrightgo"}},
	}},
	{"Seeing elements", []room{
		{"examples", "example suites and their recordings", []string{"crumb"}},
		{"trial", "tries proposed edits in a copy of the checkout: filters of the test runners, controls", []string{pureRooms, "proxy/attach", "proxy", "crumb/live", "junit/identity", "internal/browsertest", "internal/cmdtest"}},
		{"crumb", "heals in playwright-go while a test runs: every call of a page, frame and locator", []string{pureRooms, "crumb/live", "store", "store/sqlite", "internal/browsertest", "internal/playwrightgo"}},
		{"crumb/live", "learns and heals while a test runs, whatever drives its browser", []string{pureRooms, "store", "store/sqlite", "picture", "internal/replace"}},
		{"picture", "small pictures of found and lost elements: outlined, bounded, read as a stranger's", []string{"engine", "internal/replace"}},
		{"proxy/attach", "leads the Playwright of a test command through the proxy, in every language", []string{pureRooms, "proxy", "crumb/live", "junit/identity", "junit/location", "internal/replace", "internal/browsertest"}},
		{"proxy", "stands between any Playwright client and its driver: passes, learns, heals", []string{pureRooms, "crumb/live", "internal/browsertest"}},
		{"trace/browser", "looks at a trace's pages in Chromium", []string{pureRooms, "trace", "picture", "internal/browsertest", "internal/playwrightgo"}},
		{"trace", "reads Playwright's trace.zip and heals what a failed test lost", []string{pureRooms, "internal/boundzip", "internal/browsertest"}},
	}},
	{"History", []room{
		{"state", "keeps the history between runs: deltas, snapshots, trust; a `Backend` each", []string{pureRooms, "store", "store/delta", "internal/replace"}},
		{"store/sqlite", "the history in an SQLite file", []string{pureRooms, "store", "store/delta", "store/packed", "store/record", "store/sqlstore", "store/untrusted", "internal/replace"}},
		{"store/postgres", "the history in PostgreSQL", []string{pureRooms, "store", "store/record", "store/sqlstore"}},
		{"store/sqlstore", "what both databases do, over statements of their own", []string{pureRooms, "store", "store/record"}},
		{"store/storetest", "test data for both databases", []string{pureRooms, "store"}},
		{"store/untrusted", "reads a stranger's database file safely", []string{pureRooms, "store"}},
		{"store/record", "the rows that both databases write", []string{pureRooms, "store"}},
		{"store", "runs, evidence, checkpoints: what both databases share", []string{pureRooms, "store/delta"}},
		{"store/delta", "what one run adds, as a file", nil},
		{"store/packed", "the results of one run in few bytes", nil},
	}},
	{"Reports", []room{
		{"junit", "reports of every format to test results", []string{"engine", "engine/redact", "engine/text", "junit/junitxml", "junit/formats", "junit/results", "junit/input", "junit/identity", "junit/location", "junit/scan"}},
		{"junit/junitxml", "the elements of JUnit XML", []string{"engine", "engine/text", "junit/input", "junit/identity", "junit/scan"}},
		{"junit/formats", "TAP, CTRF, `go test -json`, Playwright JSON", []string{"engine", "engine/text", "junit/input", "junit/identity", "junit/location", "junit/scan"}},
		{"junit/results", "packs results in little memory; joins the rows of one test", []string{"engine", "engine/text", "junit/input", "junit/identity"}},
		{"junit/input", "limits, notices and attempts that all formats share", []string{"engine", "engine/redact", "engine/text", "junit/identity", "junit/scan"}},
		{"junit/identity", "how a test's identity is made and found again", []string{"engine", "engine/text", "junit/location"}},
		{"junit/location", "file and line of a failure; paths", nil},
		{"junit/scan", "encodings, repaired XML, JSON from a stream", nil},
		{"junit/blob", "Playwright's blob reports", []string{"internal/boundzip"}},
	}},
	{"The engine, which is pure", []room{
		{"engine/heal/htmlpage", "a page from HTML, without a browser", []string{"engine", "engine/heal"}},
		{"engine/heal/match", "tells without a browser what locators find on a page", []string{"engine", "engine/heal", "engine/locator"}},
		{"engine/ahead", "looks on a changed page for all that tests learned of it", []string{"engine", "engine/heal"}},
		{"engine/heal", "page, features, alignment, meaning, decision", []string{"engine", "engine/heal/preset", "engine/locator", "engine/heal/internal/token", "engine/text"}},
		{"engine/heal/preset", "the seeds' scorers", []string{"engine", "engine/text", "engine/heal/internal/token"}},
		{"engine/heal/internal/token", "words, classes and parts of identifiers as hashes", nil},
		{"engine/selfmend", "selfmend's baselines and heal events", []string{"engine", "engine/locator"}},
		{"engine/outcome", "what a run came to, for everybody who shows it", []string{"engine", "engine/flaky", "engine/locator", "engine/patch", "engine/text"}},
		{"engine/patch", "a heal and the tests' source to an edit, or the reason for none", []string{"engine", "engine/locator"}},
		{"engine/locator", "reads, derives, ranks and prints locators in five languages", []string{"engine"}},
		{"engine/flaky", "evidence, quarantine policy, verdict", []string{"engine", "engine/text"}},
		{"engine/redact", "takes secrets out of what a test run says", []string{"engine"}},
		{"engine/text", "cleans, cuts, counts; the useful lines of an error", nil},
		{"engine", "test results, heal events, fingerprints, runs: the values that all share", nil},
	}},
	{"Small help", []room{
		{lazyRegexp, "a regular expression, compiled when it is first used; every room may import it", nil},
		{"internal/boundzip", "opens a stranger's zip within bounds", nil},
		{"internal/heap", "bounds the memory that reading takes", nil},
		{"internal/replace", "puts a file in the place of another, on Windows too", nil},
		{"internal/playwrightgo", "the modules of playwright-go, their versions and what became of their drivers", nil},
		{"internal/browsertest", "Chromium, Playwright's driver and Playwright Test, found or skipped", nil},
		{"internal/githubtest", "the in-memory GitHub of the tests", nil},
		{"internal/cmdtest", "the command, built once for the tests that run it", nil},
		{"internal/pgtest", "a PostgreSQL for tests", nil},
		{"internal/golden", "golden files", nil},
		{"internal/promise", "what the documents promise in numbers, for the tests and the documents", nil},
		{"internal/archtest", "this table, checked", nil},
	}},
	{"Beside the product", []room{
		{"release", "how a release is made, and what it has beside its binaries: packages for npm, pip and Homebrew, licences", nil},
		{"test", "image, workflows, releases and examples as users run them", nil},
		{"tools", "trains and measures the healing engine; compares our rules for workflows with zizmor's", []string{pureRooms, "internal/workflowlint"}},
	}},
}

// rooms are the rooms of all layers, by name.
var rooms = func() map[string]room {
	byName := map[string]room{}
	for _, l := range layers {
		for _, r := range l.rooms {
			byName[r.name] = r
		}
	}
	return byName
}()

// impure are the standard packages, each with all below it, that engine and
// the rooms below it may not import: they reach outside or are not repeatable.
var impure = []string{
	"os", "net", "database/sql", "log", "math/rand", "crypto/rand", "syscall",
}

// clockCalls are the functions of package time that read or wait for a clock.
var clockCalls = []string{
	"Now", "Since", "Until", "Tick", "After", "AfterFunc", "NewTicker", "NewTimer", "Sleep",
}

// forge are the modules that only one room may import.
var forge = []string{"github.com/google/go-github", "github.com/sethvargo/go-githubactions"}

// forgeRoom is the room that speaks to GitHub.
const forgeRoom = "ci/gh"
