package cli_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The shells complete commands, flags, words of a flag and tests in quarantine.
func TestShellsComplete(t *testing.T) {
	dir := t.TempDir()
	for _, line := range []string{
		`echo '<testsuite name="s"><testcase name="one" classname="s"/></testsuite>' > r.xml`,
		`breadcrumb ci --junit r.xml`, `breadcrumb quarantine add 's › one' --reason slow`,
	} {
		shell(t, dir, "sh", line)
	}
	for _, c := range []struct{ typed, want string }{
		{"breadcrumb quarantine re", "release"},
		{"breadcrumb report --form", "--format"},
		{"breadcrumb report --format mark", "markdown"},
		{"breadcrumb init --lang cs", "csharp"},
		{"breadcrumb quarantine release s", "one"},
	} {
		for name, complete := range map[string]func(t *testing.T, dir, typed string) string{"bash": inBash, "zsh": inZsh, "fish": inFish} {
			t.Run(name+"/"+c.typed, func(t *testing.T) {
				if _, err := exec.LookPath(name); err != nil {
					t.Skipf("%s is not installed", name)
				}
				if got := complete(t, dir, c.typed); !strings.Contains(got, c.want) {
					t.Errorf("completed to %q, want %s", got, c.want)
				}
			})
		}
	}
}

// shell runs a script in a shell and returns what it prints.
func shell(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	args = append([]string{"-c"}, args...)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "TERM=dumb")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func inBash(t *testing.T, dir, typed string) string {
	t.Helper()
	return shell(t, dir, "bash", `source <(breadcrumb completion bash)
read -ra COMP_WORDS <<<"$0"; COMP_LINE=$0 COMP_POINT=${#0} COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_TYPE=9
_get_comp_words_by_ref() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${words[cword]}; prev=${words[cword-1]}; }
__start_breadcrumb; printf '%s\n' "${COMPREPLY[@]}"`, typed)
}

// inZsh types into a shell on a terminal of its own.
func inZsh(t *testing.T, dir, typed string) string {
	t.Helper()
	script := filepath.Join(t.TempDir(), "type.zsh")
	text := `zmodload zsh/zpty
zpty z zsh -f -i
z() { zpty -w z "$1" }
z "PS1= PS2= RPS1= ; stty -echo; unsetopt zle_bracketed_paste 2>/dev/null; autoload -U compinit; compinit -u -d ` + dir + `/zcompdump; source <(breadcrumb completion zsh); compdef _breadcrumb breadcrumb; cd ` + dir + `; print READY"
zpty -r z out '*READY*'
zpty -w -n z "$1"$'\t\C-a'"print -r -- DO''NE "$'\n'
zpty -r z out '*DONE*'$'\n''*'
print -r -- "${out##*DONE}"
zpty -d z
`
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return shell(t, dir, "zsh", `zsh -f `+script+` "$0"`, typed)
}

func inFish(t *testing.T, dir, typed string) string {
	t.Helper()
	return shell(t, dir, "fish", `breadcrumb completion fish | source; complete -C "$argv[1]"`, typed)
}
