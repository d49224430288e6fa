package trial

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/lazyregexp"
	"github.com/breadcrumb/action/junit/identity"
)

// runners are the known ones, by their programs.
var runners = []runner{
	{"Playwright Test", startPlaywright, splitPlaywright, narrowPlaywright, inOrderPlaywright},
	{"pytest", startPytest, splitPytest, narrowPytest, inOrderPytest},
	{"Maven", startNamed("mvn", "mvnw", "mvnd"), splitMaven, narrowMaven, nil},
	{"Gradle", startNamed("gradle", "gradlew"), splitGradle, narrowGradle, nil},
	{"dotnet test", startVerb("dotnet", "test"), splitDotnet, narrowDotnet, nil},
	{"go test", startVerb("go", "test"), splitGo, narrowGo, nil},
}

// startPlaywright finds Playwright Test by its name or by its file under node.
func startPlaywright(words []string) int {
	if len(words) > 1 && programName(words[0]) == "playwright" && words[1] == "test" {
		return 2
	}
	if len(words) > 2 && programName(words[0]) == "node" && words[2] == "test" {
		file := filepath.ToSlash(words[1])
		if strings.HasSuffix(file, "@playwright/test/cli.js") || strings.HasSuffix(file, "/playwright/cli.js") {
			return 3
		}
	}
	return 0
}

// playwrightOptions are those of `playwright test`
// (packages/playwright/src/program.ts). Reporters of the user's own would tell others of
// the trial, and new snapshots would make every test pass.
var playwrightOptions = options{
	values:  "-c --config --tsconfig --browser --global-timeout --timeout -j --workers",
	flags:   "--headed --ignore-snapshots --fully-parallel",
	dropped: "-x --quiet --forbid-only --pass-with-no-tests --fail-on-flaky-tests --last-failed",
	unset: "-g --grep -gv --grep-invert --max-failures --output --repeat-each --reporter --retries --shard --trace --test-list " +
		"--test-list-invert",
	refused: "-u --update-snapshots --update-source-method --ui --ui-host --ui-port --debug --list --only-changed --no-deps",
}

func splitPlaywright(s *suite, words []string) error {
	s.together = true
	var own []string
	for i := 0; i < len(words); i++ { // the one option that takes several words
		if words[i] == "--project" {
			for i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") {
				i++
			}
		} else if !strings.HasPrefix(words[i], "--project=") {
			own = append(own, words[i])
		}
	}
	var err error
	s.kept, _, err = playwrightOptions.sort(own) // the files are replaced by those of the tests
	return err
}

func narrowPlaywright(s suite, tests []wanted, limit time.Duration) ([]string, error) {
	var places, projects []string
	for _, t := range tests {
		if !filepath.IsAbs(t.path) || t.line < 1 {
			return nil, fmt.Errorf("the runner did not tell where %.80q stands", t.id)
		}
		places = append(places, regexp.QuoteMeta(t.path)+":"+strconv.Itoa(t.line))
		if t.project != "" {
			projects = append(projects, "--project="+t.project)
		}
	}
	slices.Sort(places)
	slices.Sort(projects)
	own := slices.Concat(slices.Compact(places), s.kept, slices.Compact(projects), []string{"--retries=0", "--reporter=dot"})
	if limit > 0 {
		own = append(own, "--timeout="+strconv.FormatInt(limit.Milliseconds(), 10))
	}
	return own, nil
}

// inOrderPlaywright has one worker run all tests, which it does in the order of the whole
// suite. Tests of one place are told by their titles, between which tags may stand
// (TestCase._grepTitleWithTags in packages/playwright/src/common/test.ts).
func inOrderPlaywright(tests []wanted) []string {
	var titles []string
	for _, t := range tests {
		if len(t.titles) > 0 {
			quoted := make([]string, len(t.titles))
			for i, title := range t.titles {
				quoted[i] = regexp.QuoteMeta(title)
			}
			titles = append(titles, strings.Join(quoted, `( @\S+)* `))
		}
	}
	own := []string{"--workers=1"}
	if len(titles) > 0 {
		own = append(own, "--grep=/ ("+strings.Join(titles, "|")+`)( @\S+)*$/`)
	}
	return own
}

func startPytest(words []string) int {
	if len(words) > 0 && (programName(words[0]) == "pytest" || programName(words[0]) == "py.test") {
		return 1
	}
	if len(words) > 2 && pythonName.MatchString(programName(words[0])) && words[1] == "-m" && words[2] == "pytest" {
		return 3
	}
	return 0
}

var pythonName = lazyregexp.New(`^(?:python[\d.]*|py)$`)

// pytestOptions are those of pytest, pytest-playwright and the usual plugins.
var pytestOptions = options{
	values: "-c --config-file -p -o --override-ini -n --numprocesses --dist --tb --rootdir --confcutdir -W --browser --base-url --tracing " +
		"--video --screenshot --slowmo --device --browser-channel --timeout --import-mode --log-level --log-cli-level -r --capture --color",
	flags:   "-v -vv -q -s -l --headed --showlocals --verbose --quiet -sv -vs --strict-markers --strict-config --no-header --no-summary",
	dropped: "-x --exitfirst --lf --last-failed --ff --failed-first --nf --sw --stepwise --no-cov --cov",
	unset: "-k -m --maxfail --junitxml --junit-xml --html --alluredir --cov-report --cov-config --reruns --reruns-delay --deselect --ignore " +
		"--ignore-glob --output --durations --report-log --json-report-file --basetemp",
	refused: "--collect-only --co --pdb --trace --setup-only --setup-plan --snapshot-update --update-snapshots",
}

func splitPytest(s *suite, words []string) error {
	s.together = true
	var err error
	s.kept, _, err = pytestOptions.sort(words)
	return err
}

func narrowPytest(s suite, tests []wanted, _ time.Duration) ([]string, error) {
	var nodes []string
	for _, t := range tests {
		if t.node == "" || strings.ContainsAny(t.node[:1], "-@") { // an option, and a file of options
			return nil, fmt.Errorf("pytest did not tell the node id of %.80q", t.id)
		}
		nodes = append(nodes, t.node)
	}
	return slices.Concat(s.kept, nodes), nil
}

// inOrderPytest keeps pytest-randomly from another order and pytest-xdist, where workers
// have names, from several workers. pytest runs tests as they are named.
func inOrderPytest(tests []wanted) []string {
	own := []string{"-p", "no:randomly"}
	if tests[0].worker != "" {
		own = append(own, "-n0")
	}
	return own
}

// splitMaven keeps everything but the tests that were named. Only phases up to the tests
// are run again.
func splitMaven(s *suite, words []string) error {
	tests := false
	for _, w := range words {
		switch {
		case strings.HasPrefix(w, "-Dtest=") || strings.HasPrefix(w, "-Dit.test="):
			continue
		case w == "test" || w == "verify" || w == "integration-test":
			tests = true
		case !strings.HasPrefix(w, "-") && w != "clean":
			return fmt.Errorf("no trial is made of Maven's goal %.40q", w)
		case w == "-f" || w == "--file" || w == "-pl" || w == "--projects" || w == "-P" || w == "--activate-profiles" || w == "-s" || w == "--settings":
			return fmt.Errorf("write the value of %s behind it without a space", w)
		}
		s.kept = append(s.kept, w)
	}
	if !tests {
		return errors.New("the command names none of Maven's phases test and verify")
	}
	return nil
}

func narrowMaven(s suite, tests []wanted, _ time.Duration) ([]string, error) {
	class, method, err := methodOf(tests)
	if err != nil {
		return nil, err
	}
	name := class + "#" + method
	return append(slices.Clone(s.kept), "-Dtest="+name, "-Dit.test="+name, "-Dsurefire.failIfNoSpecifiedTests=false", "-Dfailsafe.failIfNoSpecifiedTests=false"), nil
}

var gradleTask = lazyregexp.New(`^(?::?[\w-]+:)*(?:\w*[tT]est\w*|check)$`)

// splitGradle keeps the tasks of tests.
func splitGradle(s *suite, words []string) error {
	kept, others, err := options{
		values: "-p --project-dir -I --init-script -c --settings-file -g --gradle-user-home --console --max-workers", unset: "--tests -x --exclude-task",
		flags: "--info --debug --stacktrace --parallel --offline --no-daemon --build-cache -q", dropped: "--continue --continuous -t --daemon --build-cache",
	}.sort(words)
	if err != nil {
		return err
	}
	tests := false
	for _, task := range others {
		if !gradleTask.MatchString(task) && task != "clean" {
			return fmt.Errorf("no trial is made of Gradle's task %.40q", task)
		}
		tests = tests || task != "clean"
	}
	if !tests {
		return errors.New("the command names no task of Gradle that runs tests")
	}
	s.kept = append(kept, others...)
	return nil
}

func narrowGradle(s suite, tests []wanted, _ time.Duration) ([]string, error) {
	class, method, err := methodOf(tests)
	if err != nil {
		return nil, err
	}
	return append(slices.Clone(s.kept), "--tests", class+"."+method, "--rerun-tasks", "--no-daemon"), nil
}

func splitDotnet(s *suite, words []string) error {
	if end := slices.Index(words, "--"); end >= 0 {
		words, s.behind = words[:end], words[end:]
	}
	kept, others, err := options{
		values: "-c --configuration -f --framework -s --settings -a --arch --os -v --verbosity -e --environment --runtime", flags: "--nologo --no-restore --blame",
		dropped: "--no-build", unset: "--filter -l --logger -r --results-directory --collect -d --diag --output -o", refused: "-t --list-tests",
	}.sort(words)
	s.kept = append(others, kept...)
	return err
}

func narrowDotnet(s suite, tests []wanted, _ time.Duration) ([]string, error) {
	class, method, err := methodOf(tests)
	if err != nil {
		return nil, err
	}
	return append(slices.Clone(s.kept), "--filter", "FullyQualifiedName="+class+"."+method), nil
}

// methodForm is a class with its package or namespace, and a method.
var methodForm = lazyregexp.New(`^((?:[\p{L}_$][\p{L}\p{N}_$]*\.)*[\p{L}_$][\p{L}\p{N}_$+]*) › ([\p{L}_$][\p{L}\p{N}_$]*)(?:\(.*\))?(?:\[.*\])?$`)

// methodOf returns class and method of the one test.
func methodOf(tests []wanted) (class, method string, err error) {
	if len(tests) != 1 {
		return "", "", fmt.Errorf("%d tests cannot be told apart in one run", len(tests))
	}
	m := methodForm.FindStringSubmatch(string(tests[0].id))
	if m == nil {
		return "", "", fmt.Errorf("%.80q names no class and method", tests[0].id)
	}
	return m[1], m[2], nil
}

func splitGo(s *suite, words []string) error {
	if end := slices.IndexFunc(words, func(w string) bool { return w == "-args" || w == "--args" }); end >= 0 {
		words, s.behind = words[:end], words[end:]
	}
	kept, packages, err := options{
		values: "-p -parallel -tags -timeout -ldflags -gcflags -mod -modfile -vet -cpu", flags: "-v -race -short -failfast -trimpath -x -json",
		unset:   "-run -skip -count -bench -benchtime -coverprofile -coverpkg -covermode -cpuprofile -memprofile -o -outputdir -shuffle",
		dropped: "-cover -benchmem", refused: "-c -exec -toolexec -fuzz -list -n -C -update",
	}.sort(words)
	s.kept = append(kept, packages...)
	return err
}

func narrowGo(s suite, tests []wanted, _ time.Duration) ([]string, error) {
	if len(tests) != 1 {
		return nil, fmt.Errorf("%d tests cannot be told apart in one run", len(tests))
	}
	id := tests[0].id
	name := goTestName(id)
	if !strings.HasPrefix(name, "Test") {
		return nil, fmt.Errorf("%.80q names no test of Go", id)
	}
	segments := strings.Split(name, "/")
	for i, segment := range segments {
		segments[i] = "^" + regexp.QuoteMeta(segment) + "$"
	}
	return append([]string{"-run", strings.Join(segments, "/"), "-count=1"}, s.kept...), nil
}

// goTestName returns the name of a test of Go without its package.
func goTestName(id engine.TestID) string {
	if _, name, ok := strings.Cut(string(id), identity.Separator); ok {
		return name
	}
	return string(id)
}
