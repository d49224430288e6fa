package e2e_test

import (
	"fmt"

	"github.com/rogpeppe/go-internal/testscript"
	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/githubtest"
)

// permissions are those of a job, by what they are for.
type permissions map[string]string

// grant makes the token of a run, which may do what the workflow's file says of
// the job that runs; act knows nothing of permissions. A fork's run may read.
func (s *story) grant(ts *testscript.TestScript, j job) githubtest.Token {
	may := granted(ts, j)
	fork := s.fork && onPull(j.event)
	token := githubtest.Token{
		Token: fmt.Sprintf("ghs_%d_%d", j.run, j.attempt), Login: bot, Installation: true,
		ReadOnly:   fork || may["pull-requests"] != "write",
		NoContents: fork || may["contents"] != "write",
		NoActions:  may["actions"] == "",
		NoChecks:   may["checks"] != "write",
	}
	s.github.Grant(token)
	return token
}

// granted returns the permissions of the job that a run's event starts.
func granted(ts *testscript.TestScript, j job) permissions {
	var workflow struct {
		Jobs map[string]struct{ Permissions permissions }
	}
	ts.Check(yaml.Unmarshal(source(ts, j.workflow), &workflow))
	name := "tests"
	if j.event == "issue_comment" {
		name = "command"
	}
	found, ok := workflow.Jobs[name]
	if !ok || found.Permissions == nil {
		ts.Fatalf("%s: the job %s names no permissions", j.workflow, name)
	}
	return found.Permissions
}
