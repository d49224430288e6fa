package setup

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// testCommands are those that run the tests of a language.
var testCommands = map[Lang]*regexp.Regexp{
	TS:     regexp.MustCompile(`\bplaywright test\b`),
	Python: regexp.MustCompile(`(?:^|\s)(?:pytest|py\.test)(?:\s|$)`),
	Java:   regexp.MustCompile(`(?:\bmvnw?\b.*\s(?:test|package|verify|install|deploy)|\bgradlew?\b.*[\s:](?:test|check|build|\w+Test))(?:\s|$)`),
	CSharp: regexp.MustCompile(`\bdotnet test\b`),
	Go:     regexp.MustCompile(`\b(?:go test|gotestsum)\b`),
}

// idleCommands have the words of testCommands and run no tests.
var idleCommands = map[Lang]*regexp.Regexp{
	Python: regexp.MustCompile(`^make\s|\b(?:install|add|sync|lock|download)\s`),
	Java:   regexp.MustCompile(`-D\s?(?:skipTests|maven\.test\.skip)(?:=true)?(?:\s|$)|(?:-x|--exclude-task)[\s=]:?(?:[\w-]+:)*test(?:\s|$)`),
}

var (
	continued  = regexp.MustCompile(`\\\r?\n\s*`)
	separators = regexp.MustCompile(`&&|\|\||[;|\n]`)

	changeFolder = regexp.MustCompile(`^cd\s+["']?([\w@./-]+)["']?$`)
	// scriptRunner is a command whose words name scripts of packages.
	scriptRunner = regexp.MustCompile(`^(?:\w+=\S*\s+)*(?:npx\s+|corepack\s+)?(npm|pnpm|yarn|bun|turbo|nx|lerna|npm-run-all|run-s|run-p)\s+(.*)$`)
	npmScript    = regexp.MustCompile(`(?:^|\s)(?:(?:run|run-script)\s+(.*)|(test|t)(?:\s.*)?)$`)
	// In all packages, or in one that is named.
	inPackages   = regexp.MustCompile(`(?:^|\s)(?:turbo|nx|lerna)\s|\s(?:-r|--recursive|--workspaces|-ws|workspaces)(?:\s|$)`)
	inOnePackage = regexp.MustCompile(`\s(?:--filter|-F|-w|--workspace|workspace|-C|--prefix|--dir|--cwd)[\s=]`)
)

// commands finds the tests of suites in the scripts of workflows.
type commands struct {
	suites   []Suite
	packages func(dir string) packageFile
}

func newCommands(p *project, suites []Suite) commands {
	read := map[string]packageFile{}
	return commands{suites, func(dir string) packageFile {
		file, known := read[dir]
		if !known {
			file = p.readPackage(dir)
			read[dir] = file
		}
		return file
	}}
}

// runs returns the line of a step's script, which begins in folder, that runs
// the tests of s, itself or by scripts of packages: script is then the text of
// the first of them.
func (c commands) runs(s Suite, run, folder string) (line, script string, ok bool) {
	seen := map[string]bool{}
	for line := range strings.Lines(continued.ReplaceAllString(run, " ")) {
		if script, ok := c.line(s, line, &folder, seen); ok {
			return strings.TrimSpace(line), script, true
		}
	}
	return "", "", false
}

// line reads one line, which may change the folder for those behind it. seen are
// the scripts that were read already: they can run each other.
func (c commands) line(s Suite, line string, folder *string, seen map[string]bool) (script string, ok bool) {
	for _, command := range separators.Split(line, -1) {
		command = strings.TrimSpace(command)
		if m := changeFolder.FindStringSubmatch(command); m != nil {
			*folder = path.Join(*folder, folderOf(m[1]))
			continue
		}
		if s.direct(command) && c.meant(s, command, *folder) {
			return "", true
		}
		if script, ok := c.scripts(s, command, *folder, seen); ok {
			return script, true
		}
	}
	return "", false
}

// scripts reads what a command, in folder, runs of packages' scripts.
func (c commands) scripts(s Suite, command, folder string, seen map[string]bool) (script string, ok bool) {
	if s.Lang != TS {
		return "", false
	}
	reaches := c.reaches(s, command, folder)
	for _, name := range scriptNames(command) {
		if text := strings.TrimSpace(c.packages(s.Dir).Scripts[name]); reaches && wordsInside.MatchString(text) {
			return text, true
		}
		text, inside := strings.TrimSpace(c.packages(folder).Scripts[name]), folder
		if text == "" || seen[folder+"\n"+name] {
			continue
		}
		seen[folder+"\n"+name] = true
		if _, ok := c.line(s, text, &inside, seen); ok {
			return text, true
		}
	}
	return "", false
}

// reaches reports whether a script's name in a command, in folder, is one of the
// package of s.
func (c commands) reaches(s Suite, command, folder string) bool {
	switch name := c.packages(s.Dir).Name; {
	case folder == s.Dir:
		return true
	case !near(folder, s.Dir):
		return false
	case inOnePackage.MatchString(command):
		return name != "" && strings.Contains(command, name) || strings.Contains(command, path.Base(s.Dir))
	}
	return inPackages.MatchString(command)
}

// meant reports whether a runner's own command, in folder, runs the tests of s:
// those whose file it names, else those of the folder; of folders around or
// below only where the folder has none of its own.
func (c commands) meant(s Suite, command, folder string) bool {
	words := strings.FieldsFunc(command, func(r rune) bool { return r == ' ' || r == '=' || r == '"' || r == '\'' })
	names := func(other Suite) bool {
		return slices.ContainsFunc(words, func(word string) bool { return path.Join(folder, word) == other.Found })
	}
	if slices.ContainsFunc(c.suites, names) {
		return names(s)
	}
	own := func(other Suite) bool { return other.Lang == s.Lang && other.Dir == folder }
	return s.Dir == folder || near(folder, s.Dir) && !slices.ContainsFunc(c.suites, own)
}

// direct reports whether a command runs the tests itself.
func (s Suite) direct(command string) bool {
	idle := idleCommands[s.Lang]
	return testCommands[s.Lang].MatchString(command) && (idle == nil || !idle.MatchString(command))
}

// scriptNames returns what can be names of scripts in a command.
func scriptNames(command string) []string {
	m := scriptRunner.FindStringSubmatch(command)
	if m == nil {
		return nil
	}
	words := m[2]
	if m[1] == "npm" {
		after := npmScript.FindStringSubmatch(words)
		if after == nil {
			return nil
		}
		words = after[1]
		if after[2] != "" {
			words = "test"
		}
	}
	names := strings.Fields(words)
	if m[1] != "npm" && len(names) > 0 && slices.Contains(noScripts, names[0]) {
		return nil
	}
	for i, name := range names {
		names[i] = strings.Trim(name, `"'`)
	}
	return names
}

// noScripts are words of package managers themselves.
var noScripts = []string{"install", "i", "ci", "add", "exec", "dlx", "x", "create", "init", "publish", "pack", "remove", "up", "update", "audit", "link", "why"}

// near reports whether a command that runs in folder can mean the tests in dir:
// one is the other or lies in it.
func near(folder, dir string) bool {
	return folder == dir || folder == "." || dir == "." || strings.HasPrefix(dir, folder+"/") || strings.HasPrefix(folder, dir+"/")
}

// folderOf returns where a step runs; "." for what only a run tells.
func folderOf(dirs ...string) string {
	for _, dir := range dirs {
		if dir = path.Clean(dir); dir != "." && !strings.Contains(dir, "$") {
			return dir
		}
	}
	return "."
}
