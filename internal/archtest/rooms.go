// Package archtest holds the project's import rules, so that go test enforces
// them: the table of rooms, what the pure rooms may not touch, and who may
// speak to GitHub.
package archtest

// Module is the project's module path.
const Module = "github.com/breadcrumb/action"

// anyRoom stands for every room of the product, pureRooms for engine and all below it.
const (
	anyRoom   = "*"
	pureRooms = "engine/..."
)

// rooms is the table of DESIGN §1: what each room, with the packages below it
// that are no room of their own, may import of the project. The empty name is
// main. Types of engine stand in the signatures of ci and comment, so whoever
// implements those may import it.
var rooms = map[string][]string{
	"":                    {"internal/cli"},
	"internal/cli":        {anyRoom},
	"internal/archtest":   {},
	"internal/githubtest": {},
	"test/e2e":            {},
	"internal/pgtest":     {},
	"internal/golden":     {},
	"internal/boundzip":   {},
	"internal/pwconfig":   {},
	"internal/setup":      {"internal/pwconfig", "internal/workflowlint"},
	"internal/manpage":    {},
	"internal/heap":       {},
	"internal/replace":    {},

	// The image, run as GitHub's runner runs it.
	"test/examples": {},
	"test/image":    {},
	"test/native":   {},
	"test/release":  {},

	// What a stranger could do with a workflow; doctor tells it.
	"internal/workflowlint": {},
	"ci":                    {pureRooms, "internal/heap", "internal/replace", "junit", "store", "store/sqlite", "store/postgres", "state", "health", "comment", "report", "trace", "junit/blob", "junit/identity", "junit/location"},
	"ci/command":            {"ci", "comment", "store", "store/postgres", "state", pureRooms},
	"ci/gh":                 {"ci", "ci/command", "comment", "state", "ci/gh/resultsservice", "ci/gh/archive", pureRooms},
	"ci/gh/resultsservice":  {},
	"ci/gh/archive":         {"state"},
	"comment":               {pureRooms},
	"report":                {pureRooms},
	"store":                 {pureRooms, "store/delta"},
	"store/delta":           {},
	"store/record":          {pureRooms, "store"},
	"store/untrusted":       {pureRooms, "store"},
	"store/sqlite":          {pureRooms, "store", "store/delta", "store/record", "store/untrusted", "internal/replace"},
	"store/postgres":        {pureRooms, "store", "store/record"},
	"store/storetest":       {pureRooms, "store"},
	"state":                 {pureRooms, "store", "store/delta", "internal/replace"},
	"health":                {pureRooms, "store", "state"},
	"replay":                {"engine", "engine/flaky"},
	"junit":                 {"engine", "engine/text", "junit/junitxml", "junit/formats", "junit/results", "junit/input", "junit/identity", "junit/location", "junit/scan"},
	"junit/junitxml":        {"engine", "engine/text", "junit/input", "junit/identity", "junit/scan"},
	"junit/formats":         {"engine", "engine/text", "junit/input", "junit/identity", "junit/location", "junit/scan"},
	"junit/results":         {"engine", "engine/text", "junit/input", "junit/identity"},
	"junit/input":           {"engine", "engine/text", "junit/identity", "junit/scan"},
	"junit/identity":        {"engine", "engine/text", "junit/location"},
	"junit/location":        {},
	"junit/scan":            {},
	"junit/blob":            {"internal/boundzip"},
	"engine":                {},
	"engine/heal":           {"engine", "engine/heal/preset", "engine/heal/internal/token", "engine/text"},
	"engine/heal/preset":    {"engine", "engine/text", "engine/heal/internal/token"},
	"engine/heal/htmlpage":  {"engine", "engine/heal"},
	"engine/selfmend":       {"engine"},

	// What a page says as hashes: words, classes, parts of identifiers.
	"engine/heal/internal/token": {},
	"engine/flaky":               {"engine", "engine/text"},
	"engine/locator":             {"engine"},
	"engine/patch":               {"engine", "engine/locator"},
	"engine/text":                {},
	"engine/outcome":             {"engine", "engine/flaky", "engine/patch", "engine/text"},

	// A test suite names a database by its path and imports only crumb, so
	// crumb opens it itself.
	"crumb":    {pureRooms, "store", "store/sqlite", "internal/replace", "internal/browsertest"},
	"examples": {"crumb"},

	// A report that is looked at in a browser.
	"report/htmlreport":    {pureRooms, "internal/browsertest"},
	"internal/browsertest": {},

	// The command around the healing engine.
	"internal/healtool": {pureRooms},

	// What trains and measures the engine; no part of the product.
	"tools/healing/boost":  {},
	"tools/healing/corpus": {pureRooms},
	"tools/healing/fit":    {pureRooms, "tools/healing/boost", "tools/healing/corpus"},
	"tools/healing/train":  {pureRooms, "tools/healing/boost", "tools/healing/corpus", "tools/healing/fit"},
	"tools/healing/eval":   {pureRooms, "tools/healing/corpus", "tools/healing/fit"},

	"trace": {pureRooms, "internal/boundzip", "internal/browsertest"},
	// The one room that starts a browser in the product, for --replay.
	"trace/browser": {pureRooms, "trace", "internal/browsertest"},
	"generate":      {pureRooms, "internal/browsertest"},
	"mcp":           {pureRooms, "store", "store/sqlite", "store/postgres", "health", "report", "generate"},
}

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
