package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/report"
	"github.com/breadcrumb/action/state"
)

// requestTimeout bounds one request to GitHub.
const requestTimeout = 30 * time.Second

// actionsHost publishes a run's outcome in the GitHub Actions step it runs in:
// summary, annotations and outputs.
type actionsHost struct {
	actions *gh.Actions
	client  *gh.Client // nil without a token
	report  string
}

var _ ci.Host = (*actionsHost)(nil)

// connectActions fills in what the run's configuration takes from the event, and
// connects the run to the step and, where there is a token, to GitHub.
func connectActions(ctx context.Context, cfg *ci.Config, d *ci.Deps, vs values, out io.Writer) (*actionsHost, error) {
	host := &actionsHost{actions: gh.NewActions(os.Getenv, out, rand.Reader), report: cfg.Report}
	info, err := gh.LoadEvent(os.Getenv, readEvent)
	if err != nil {
		return nil, usageError{"GitHub event: " + err.Error()}
	}
	info.Leg = canonicalLeg(vs["leg"].text())
	d.Host, cfg.ServerURL = host, os.Getenv("GITHUB_SERVER_URL")
	if host.client, err = connectGitHub(host.actions, vs, d); err != nil {
		return host, err
	}
	if err := host.identify(ctx, cfg, d, vs, info); err != nil {
		return host, err
	}
	if cfg.CommentKey == "" {
		cfg.CommentKey, cfg.FormerKey = gh.CommentKey(cfg.Info), gh.FormerCommentKey(cfg.Info)
	}
	if host.client == nil {
		return host, nil
	}
	if o, err := gh.LoadBackendOptions(os.Getenv, readEvent); err == nil && !cfg.Info.Trusted() {
		if ancestry, err := host.client.Ancestry(info.Repository, o.DefaultBranch); err == nil {
			d.Ancestry = ancestry
		}
	}
	if info = cfg.Info; info.PullRequest == 0 && info.Relayed {
		cfg.Info.PullRequest = host.findPullRequest(ctx, info, d.Log)
	}
	if d.Offers, err = connectOffers(host.client, cfg.Info); err != nil {
		return host, err
	}
	host.connectConversations(cfg.Info, d)
	return host, nil
}

// connectOffers returns what keeps the edits that a run of a pull request offers, and
// tells a run of the default branch which of them were merged; nil for other runs and
// where GitHub keeps no artifacts. Of a fork's own run nobody would believe them.
func connectOffers(client *gh.Client, info engine.RunInfo) (ci.Offers, error) {
	if info.PullRequest == 0 && !info.Trusted() || info.Fork && !info.Relayed {
		return nil, nil
	}
	offers, err := openOffers(client, info)
	if offers == nil {
		return nil, err
	}
	return offers, err
}

// openOffers returns the offers of a repository's runs, nil where GitHub keeps none.
func openOffers(client *gh.Client, info engine.RunInfo) (*gh.Offers, error) {
	o, err := gh.LoadBackendOptions(os.Getenv, readEvent)
	if err != nil {
		return nil, usageError{"offered edits: " + err.Error()}
	}
	o.Repository, o.RepositoryID, o.Attempt, o.Workflow = info.Repository, info.RepositoryID, info.RunAttempt, state.WorkflowFile(info)
	if info.PullRequest == 0 { // nothing is offered, so nothing is saved
		o.RuntimeToken, o.ResultsURL = "", ""
	}
	offers, err := client.Offers(o)
	if errors.Is(err, gh.ErrEnterpriseServer) {
		return nil, nil
	}
	return offers, err
}

// connectConversations connects the run to what is said on its pull request, or on
// those of its merge group.
func (h *actionsHost) connectConversations(info engine.RunInfo, d *ci.Deps) {
	for _, pr := range info.PullRequests() {
		forge := h.client.Conversation(info.Repository, pr)
		d.Changes, d.Runs = forge, forge
		if pr == info.PullRequest {
			d.Forge, d.Reviews = forge, forge
			return
		}
		if d.Group == nil {
			d.Group = map[int]comment.API{}
		}
		d.Group[pr] = forge
	}
}

// identify gives the run its one identity: what the event says of it, completed by
// GitHub where there is a token.
func (h *actionsHost) identify(ctx context.Context, cfg *ci.Config, d *ci.Deps, vs values, info engine.RunInfo) error {
	hints := gh.JobHints{Caller: vs["job"].text(), Runner: gh.RunnerName(os.Getenv)}
	if id := vs["job-id"]; id.text() != "" {
		n, err := strconv.ParseInt(id.text(), 10, 64)
		if err != nil || n <= 0 {
			return usageError{fmt.Sprintf("%s is %q; it must be the number of a job, ${{ job.check_run_id }}", id.describePlace("job-id"), id.text())}
		}
		hints.CheckRun = n
	}
	if h.client == nil {
		cfg.Info = hints.Name(info)
	} else {
		cfg.Info, cfg.Notices = h.client.Identify(ctx, info, hints)
	}
	if cfg.Info.StartedAt.IsZero() {
		cfg.Info.StartedAt = d.Now()
	}
	return nil
}

// findPullRequest returns the number of the pull request that a workflow_run event is
// about, 0 where there is none to comment on. The event does not name a fork's.
func (h *actionsHost) findPullRequest(ctx context.Context, info engine.RunInfo, log *slog.Logger) int {
	run, known, err := gh.LoadEndedRun(os.Getenv, readEvent)
	if err == nil && !known {
		return 0
	}
	number := 0
	if err == nil {
		number, err = h.client.PullOf(ctx, info.Repository, info.RepositoryID, run)
	}
	if err != nil {
		log.Warn("no comment on the pull request; the job summary has the text", slog.String("reason", report.LogLine(err.Error())))
	}
	return number
}

// connectGitHub returns a client with the step's token, nil without a token.
func connectGitHub(actions *gh.Actions, vs values, d *ci.Deps) (*gh.Client, error) {
	token := cmp.Or(vs["github-token"].text(), os.Getenv("GITHUB_TOKEN"))
	if err := actions.Mask(token); err != nil || token == "" {
		return nil, err
	}
	client, err := gh.NewClient(gh.Options{
		Token: token, APIURL: os.Getenv("GITHUB_API_URL"), Log: d.Log,
		HTTP: &http.Client{Timeout: requestTimeout}, Now: d.Now,
	})
	if err != nil {
		return nil, usageError{"GitHub: " + err.Error()}
	}
	return client, nil
}

// maxEventBytes bounds the event payload; GitHub caps webhooks at 25 MB.
const maxEventBytes = 25 << 20

func readEvent(name string) ([]byte, error) { return readBounded(name, maxEventBytes) }

// readBounded reads a file that may have limit bytes at most.
func readBounded(name string, limit int64) ([]byte, error) {
	text, err := readStart(name, limit+1)
	if err == nil && int64(len(text)) > limit {
		return nil, fmt.Errorf("%s is larger than %d bytes", name, limit)
	}
	return text, err
}

// readStart reads at most the first limit bytes of a file.
func readStart(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// canonicalLeg returns a short stable name for the matrix context a workflow passes;
// a job without a matrix has the context null and no leg.
func canonicalLeg(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || text == "null" || text == "{}" {
		return ""
	}
	var matrix any
	if err := json.Unmarshal([]byte(text), &matrix); err != nil {
		return text
	}
	canonical, err := json.Marshal(matrix) // maps marshal sorted by key
	if err != nil {
		return text
	}
	return string(canonical)
}

// Summarize implements [ci.Host].
func (h *actionsHost) Summarize(markdown string) error { return h.actions.AppendSummary(markdown) }

// Annotate implements [ci.Host]. It writes an error for everything that blocks
// and a warning for every other notice. As ten of a kind are shown, one failure of each
// cause goes first.
func (h *actionsHost) Annotate(run outcome.Run) error {
	var errs []error
	for _, f := range failuresByCause(run) {
		errs = append(errs, h.actions.Annotate(gh.LevelError, failureAnnotation(f, run.Path(f.Result.File))))
	}
	if n := len(run.Verdict.Missing); n > 0 {
		errs = append(errs, h.actions.Annotate(gh.LevelError, gh.Annotation{
			Title:   fmt.Sprintf("%d expected tests did not run", n),
			Message: strings.Join(toStrings(run.Verdict.Missing[:min(n, 20)]), "\n"),
		}))
	}
	for _, n := range run.Verdict.Notices {
		errs = append(errs, h.actions.Annotate(gh.LevelError, noticeAnnotation(n)))
	}
	for _, n := range run.Warnings() {
		errs = append(errs, h.actions.Annotate(gh.LevelWarning, noticeAnnotation(n)))
	}
	return errors.Join(append(errs, h.actions.FlushAnnotations())...)
}

// failuresByCause returns what blocks, one failure of each cause before the others.
func failuresByCause(run outcome.Run) []flaky.Failure {
	var first, others []flaky.Failure
	for _, c := range run.Causes() {
		if len(c.Failures) > 0 {
			first, others = append(first, c.Failures[0]), append(others, c.Failures[1:]...)
		}
	}
	return append(first, others...)
}

// failureAnnotation returns the annotation of a failed test; file is relative to
// the repository's top.
func failureAnnotation(f flaky.Failure, file string) gh.Annotation {
	message := cmp.Or(strings.Join(outcome.ErrorLines(f.Result), "\n"), "failed without a message")
	if f.Order != "" {
		message += "\n" + f.Order
	}
	return gh.Annotation{File: file, Line: f.Result.Line, Title: string(f.Result.ID), Message: message}
}

func noticeAnnotation(n engine.Notice) gh.Annotation {
	return gh.Annotation{File: n.File, Line: n.Line, Title: "Breadcrumb: input", Message: n.Reason}
}

// SetOutputs implements [ci.Host]. Test names never become outputs.
func (h *actionsHost) SetOutputs(run outcome.Run) error {
	entered, released := 0, 0
	for _, c := range run.Changes {
		switch {
		case c.Pending:
		case c.Released:
			released++
		default:
			entered++
		}
	}
	verdict := "fail"
	if run.Verdict.Pass() {
		verdict = "pass"
	}
	errs := []error{
		h.actions.SetOutput("verdict", verdict),
		h.actions.SetOutput("blocking", strconv.Itoa(len(run.Verdict.Blocking)+len(run.Verdict.Missing)+len(run.Verdict.Notices))),
		h.actions.SetOutput("excused", strconv.Itoa(len(run.Verdict.Excused))),
		h.actions.SetOutput("healed", strconv.Itoa(outcome.CountLocators(run.Healed()))),
		h.actions.SetOutput("quarantined", strconv.Itoa(entered)),
		h.actions.SetOutput("released", strconv.Itoa(released)),
	}
	if h.report != "" {
		errs = append(errs, h.actions.SetOutputPath("report-path", h.report))
	}
	return errors.Join(errs...)
}

var _ comment.API = (*gh.IssueComments)(nil)
