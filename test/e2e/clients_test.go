package e2e_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdClient is GitHub's own npm client in a step of the last run, in a folder:
// fetch and store work on an artifact of the run and the folder's files, restore
// and save on a cache whose content is the folder breadcrumb-state there.
// client fetch|store|restore|save NAME DIR
func cmdClient(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 3, 3, "client fetch|store|restore|save NAME DIR")
	s, verb, name, dir := the(ts), args[0], args[1], ts.MkAbs(args[2])
	ts.Check(os.MkdirAll(dir, 0o777))
	ctx, stop := context.WithTimeout(context.Background(), mostOfRun)
	defer stop()
	words := []string{filepath.Join(tools, "artifact.mjs"), verb, name, dir}
	if verb == "restore" || verb == "save" {
		words = []string{filepath.Join(tools, "cache.mjs"), verb, name}
	}
	cmd := exec.CommandContext(ctx, "node", words...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "ACTIONS_RUNTIME_TOKEN="+s.github.RuntimeToken(s.scope(s.ran)), "ACTIONS_RESULTS_URL="+s.results,
		"ACTIONS_CACHE_SERVICE_V2=true", "GITHUB_REPOSITORY="+shop, "GITHUB_API_URL="+s.api, "GITHUB_SERVER_URL=https://github.com",
		"GITHUB_WORKSPACE="+dir, "RUNNER_TEMP="+ts.MkAbs(".tmp"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		ts.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	_, err = ts.Stdout().Write(append(out, '\n'))
	ts.Check(err)
}

// cmdForget takes all artifacts away, as their retention does: forget
func cmdForget(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 0, 0, "forget")
	the(ts).github.ForgetArtifacts(shop)
}
