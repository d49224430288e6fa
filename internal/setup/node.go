package setup

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/breadcrumb/action/internal/pwconfig"
)

// configNames are Playwright's, in the order it looks for them.
var configNames = []string{
	"playwright.config.ts", "playwright.config.js", "playwright.config.mts", "playwright.config.mjs", "playwright.config.cts", "playwright.config.cjs",
}

var (
	configName   = regexp.MustCompile(`^playwright\.config\.[mc]?[jt]s$`)
	packageName  = regexp.MustCompile(`^package\.json$`)
	scriptName   = regexp.MustCompile(`^[\w][\w:.-]*$`)
	plainScript  = regexp.MustCompile(`^(?:(?:npx|pnpm exec|yarn|bunx) )?playwright test$`)
	openEnd      = regexp.MustCompile(`(^|&& |[\w=] )(npx |pnpm exec |yarn )?playwright test[^'"&|;]*$`)
	byHand       = regexp.MustCompile(`--ui\b|--headed|--debug|--grep|-g |--project|--last-failed|--update-snapshots|show-report`)
	manyBrowsers = regexp.MustCompile(`(?i)firefox|webkit|safari|iphone|ipad|msedge|chrome["']|\.\.\.\w|from ["'` + "`" + `]\.`)
	wordsInside  = regexp.MustCompile(`playwright test\b`)
)

// packageFile is the part of a package.json that is read.
type packageFile struct {
	Name            string
	Scripts         map[string]string `json:"scripts"`
	Dependencies    map[string]string `json:"dependencies"`
	DevDependencies map[string]string `json:"devDependencies"`
	Engines         struct{ Node string }
	Volta           struct{ Node string }
}

func (p *project) readPackage(dir string) packageFile {
	file, _ := p.parsePackage(path.Join(dir, "package.json")) // what cannot be read says nothing; unread tells it
	return file
}

func (p *project) parsePackage(name string) (file packageFile, err error) {
	text := strings.TrimPrefix(p.text(name), "\ufeff") // npm takes it off, too
	if text == "" {
		return file, nil
	}
	return file, json.Unmarshal([]byte(text), &file)
}

// unread says which packages name Playwright but cannot be read.
func (p *project) unread() []string {
	var all []string
	for _, name := range p.named(packageName) {
		if _, err := p.parsePackage(name); err != nil && strings.Contains(p.text(name), "@playwright/test") {
			all = append(all, fmt.Sprintf("%s cannot be read and is left out: %v", name, err))
		}
	}
	return all
}

func (f packageFile) uses(name string) bool {
	return f.Dependencies[name] != "" || f.DevDependencies[name] != ""
}

// node returns the suites of Playwright Test: a folder with a configuration, or
// with a package that depends on it and has none below.
func (p *project) node() []Suite {
	var suites []Suite
	seen := map[string]bool{}
	for _, name := range p.named(configName) {
		if dir := path.Dir(name); !seen[dir] {
			seen[dir] = true
			suites = append(suites, p.playwright(dir, path.Join(dir, p.first(dir, configNames...))))
		}
	}
	for _, name := range p.named(packageName) {
		dir := path.Dir(name)
		covered := slices.ContainsFunc(suites, func(s Suite) bool { return dir == "." || s.Dir == dir || strings.HasPrefix(s.Dir, dir+"/") })
		if !covered && p.readPackage(dir).uses("@playwright/test") {
			suites = append(suites, p.playwright(dir, ""))
		}
	}
	return suites
}

// manager is how a package manager installs and runs.
type manager struct{ lock, name, install, exec string }

var managers = []manager{
	{"pnpm-lock.yaml", "pnpm", "corepack enable && pnpm install --frozen-lockfile", "pnpm exec"},
	{"bun.lock", "bun", "npm install --global bun && bun install --frozen-lockfile", "bunx"},
	{"bun.lockb", "bun", "npm install --global bun && bun install --frozen-lockfile", "bunx"},
	{"yarn.lock", "yarn", "corepack enable && yarn install --immutable", "yarn"},
	{"package-lock.json", "npm", "npm ci", "npx"},
	{"npm-shrinkwrap.json", "npm", "npm ci", "npx"},
}

// manager returns the package manager of a folder and where it installs.
func (p *project) manager(dir string) (m manager, at string) {
	var locks []string
	for _, m := range managers {
		locks = append(locks, m.lock)
	}
	folder, lock := p.above(dir, locks...)
	for _, m := range managers {
		if m.lock != lock || lock == "" {
			continue
		}
		if m.name == "yarn" && strings.Contains(p.text(path.Join(folder, lock)), "# yarn lockfile v1") {
			m.install = "yarn install --frozen-lockfile"
		}
		return m, folder
	}
	folder, _ = p.above(dir, "package.json")
	if folder == "" {
		folder = dir
	}
	return manager{"", "npm", "npm install", "npx"}, folder
}

// playwright returns the suite of Playwright Test in dir.
func (p *project) playwright(dir, config string) Suite {
	m, at := p.manager(dir)
	text := p.text(config)
	if better, ok := pwconfig.Improve([]byte(text)); ok && p.improve {
		text = string(better)
	}
	browsers := " chromium"
	if config == "" || manyBrowsers.MatchString(text) {
		browsers = ""
	}
	s := Suite{Lang: TS, Runner: "Playwright Test", Dir: dir, Config: config, Found: config, Traces: below(dir, traces)}
	if config == "" {
		s.Found = path.Join(dir, "package.json")
	}
	s.Setup = append(p.nodeVersion(at), Step{Run: m.install, Dir: at}, Step{Run: m.exec + " playwright install --with-deps" + browsers, Dir: dir})
	script := testScript(p.readPackage(dir).Scripts)
	s.Test = Step{Run: m.exec + " playwright test", Dir: dir}
	if script.name != "" {
		s.scripted, s.open = true, openEnd.MatchString(script.text)
		s.Test.Run = m.name + " run " + script.name
	}
	s.report(pwconfig.Read(config, []byte(text)))
	return s
}

// nodeVersion returns the step for the version of Node that a folder asks for.
func (p *project) nodeVersion(dir string) []Step {
	name := p.first(dir, ".nvmrc", ".node-version", ".tool-versions")
	if file := p.readPackage(dir); name == "" && (file.Engines.Node != "" || file.Volta.Node != "") {
		name = "package.json"
	}
	if name == "" {
		return nil
	}
	return []Step{{Uses: setupNode, With: []pair{{"node-version-file", path.Join(dir, name)}}}}
}

// script is one of a package's.
type script struct{ name, text string }

// testScript returns the script that runs the tests, "" where there is none, or
// none that does more than Playwright's own command.
func testScript(scripts map[string]string) script {
	var found []script
	for name, text := range scripts {
		if wordsInside.MatchString(text) && scriptName.MatchString(name) && !byHand.MatchString(text) {
			found = append(found, script{name, strings.TrimSpace(text)})
		}
	}
	slices.SortFunc(found, func(a, b script) int { return strings.Compare(a.name, b.name) })
	at := slices.IndexFunc(found, func(s script) bool { return s.name == "test:e2e" || s.name == "e2e" || s.name == "test" })
	if len(found) == 1 {
		at = 0
	}
	if at < 0 || plainScript.MatchString(found[at].text) {
		return script{}
	}
	return found[at]
}

// report decides where the report comes from: what the configuration writes,
// else the JUnit reporter, switched on for the run.
func (s *Suite) report(c pwconfig.Config) {
	switch {
	case slices.Contains(c.Reporters, "junit"):
		s.junit(c)
	case slices.Contains(c.Reporters, "blob"):
		s.Reports = below(s.Dir, "blob-report/*.zip")
	case slices.Contains(c.Reporters, "json") && s.inside(c.Outputs["json"]):
		s.Reports = below(s.Dir, c.Outputs["json"])
	default:
		s.switchOn()
		s.junit(c)
	}
}

// reporterFlag switches the JUnit reporter on for a run.
const reporterFlag = "--reporter=list,junit"

// switchOn switches the JUnit reporter on for the run, where the command's end
// is Playwright's own.
func (s *Suite) switchOn() {
	s.silent = true
	switch {
	case s.scripted && !s.open:
		s.Needs = append(s.Needs, s.Found+` names no reporter that Breadcrumb reads: add ["junit", { includeRetries: true }] to its reporters`)
	case strings.HasPrefix(s.Test.Run, "npm "):
		s.Test.Run += " -- " + reporterFlag
	default:
		s.Test.Run += " " + reporterFlag
	}
}

// junit reads the JUnit reporter's file where the configuration names one, and
// names it where nothing does. OUTPUT_FILE outranks a configuration whose text
// does not tell the name.
func (s *Suite) junit(c pwconfig.Config) {
	file := c.Outputs["junit"]
	if !s.inside(file) {
		variable := "PLAYWRIGHT_JUNIT_OUTPUT_NAME"
		if c.Named {
			variable = "PLAYWRIGHT_JUNIT_OUTPUT_FILE"
		}
		file = "results/playwright.xml"
		s.Test.Env = append(s.Test.Env, pair{variable, file})
	}
	if c.Retries != "true" {
		s.Test.Env = append(s.Test.Env, pair{"PLAYWRIGHT_JUNIT_INCLUDE_RETRIES", "1"})
	}
	s.Reports = below(s.Dir, file)
}

// inside reports whether a file that the suite's own folder is the start of lies
// in the checkout and can stand in a workflow.
func (s *Suite) inside(file string) bool {
	return plainPath.MatchString(file) && filepath.IsLocal(filepath.FromSlash(path.Join(s.Dir, file)))
}
