package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
)

func TestHealModeInCIIsTheDefaultBranchs(t *testing.T) {
	payload := filepath.Join(t.TempDir(), "event.json")
	if err := os.WriteFile(payload, []byte(`{"repository":{"id":7,"default_branch":"main"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	job := func(event string, ref string) map[string]string {
		return map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_EVENT_PATH": payload, "GITHUB_EVENT_NAME": event, "GITHUB_REF": ref,
			"GITHUB_REPOSITORY": "a/b", "GITHUB_SERVER_URL": "https://github.com", "GITHUB_RUN_ATTEMPT": "1"}
	}
	for _, c := range []struct {
		name         string
		onMain, here string // the settings file, "" for none
		shallow      bool   // the default branch is not in the checkout
		flag         string
		env          map[string]string
		want         engine.HealMode
		advised      bool
	}{
		{name: "a person's run heals", want: engine.HealLive},
		{name: "a person's own file counts", here: "heal: suggest", want: engine.HealSuggest},
		{name: "a person's flag wins", here: "heal: suggest", flag: "off", want: engine.HealOff},
		{name: "CI suggests", env: map[string]string{"CI": "true"}, want: engine.HealSuggest, advised: true},
		{name: "CI=false is no CI", env: map[string]string{"CI": "false"}, want: engine.HealLive},
		{name: "the default branch's file counts", onMain: "heal: live", env: map[string]string{"CI": "true"}, want: engine.HealLive},
		{name: "the change's own file does not", here: "heal: live", env: map[string]string{"CI": "true"}, want: engine.HealSuggest, advised: true},
		{name: "nor where it is another", onMain: "heal: off", here: "heal: live", env: map[string]string{"CI": "true"}, want: engine.HealOff},
		{name: "a shallow checkout knows no default branch", onMain: "heal: live", shallow: true, env: map[string]string{"CI": "true"}, want: engine.HealSuggest, advised: true},
		{name: "a push to the default branch is the default branch", here: "heal: live", shallow: true,
			env: job("push", "refs/heads/main"), want: engine.HealLive},
		{name: "a pull request is not", here: "heal: live", shallow: true,
			env: job("pull_request", "refs/pull/1/merge"), want: engine.HealSuggest, advised: true},
		{name: "nor is one whose workflow is the default branch's", here: "heal: live", shallow: true, env: job("pull_request_target", "refs/heads/main"), want: engine.HealSuggest, advised: true},
		{name: "the flag wins in CI", flag: "live", env: map[string]string{"CI": "true"}, want: engine.HealLive},
		{name: "a variable does less", onMain: "heal: live", env: map[string]string{"CI": "true", "BREADCRUMB_HEAL": "off"}, want: engine.HealOff},
		{name: "and never more", env: map[string]string{"CI": "true", "BREADCRUMB_HEAL": "live"}, want: engine.HealSuggest, advised: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			git := func(args ...string) {
				t.Helper()
				cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", root, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
				}
			}
			commit := func(settings string) {
				t.Helper()
				file := filepath.Join(root, defaultConfigFile)
				if err := os.WriteFile(file, []byte(settings+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				if settings == "" {
					_ = os.Remove(file)
				}
				git("add", "-A")
				git("commit", "-q", "--allow-empty", "-m", "settings")
			}
			git("init", "-q", "-b", "main")
			commit(c.onMain)
			if !c.shallow {
				git("update-ref", "refs/remotes/origin/main", "HEAD")
				git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
			}
			commit(c.here)
			mode, advice, err := chooseHealMode(healChoice{flag: c.flag, root: root, getenv: func(name string) string { return c.env[name] }})
			if err != nil {
				t.Fatal(err)
			}
			if mode != c.want || (advice != "") != c.advised {
				t.Errorf("mode %s, advice %q; want %s, advised %t", mode, advice, c.want, c.advised)
			}
		})
	}
}
