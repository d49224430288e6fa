package cli

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/engine/flaky"
	"github.com/breadcrumb/action/replay"
	"github.com/breadcrumb/action/report"
)

const replayLong = `Try a quarantine policy on a past before switching it on.

Reads a history, one run a line, as ` + "`breadcrumb export --history`" + ` writes it, and
tells which tests the policy would have quarantined and which failures it would
have excused. Every run is judged by the runs before it alone.`

func newReplay(s Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use: "replay", Short: "Try a quarantine policy on a recorded history", Long: replayLong, Args: refuseArgs,
		Example: "  breadcrumb export --history past.ndjson\n  breadcrumb replay --history past.ndjson --policy evidence",
	}
	cmd.Flags().SortFlags = false
	history := cmd.Flags().String("history", "", "history `FILE`, NDJSON, gzipped or not (required)")
	name := cmd.Flags().String("policy", string(flaky.PolicyEvidence), "`POLICY` to try: evidence or seed")
	completeWords(cmd, "policy", string(flaky.PolicyEvidence), string(flaky.PolicySeed))
	out := cmd.Flags().String("out", "", "write a verdict line for each run to this `FILE`")
	share := cmd.Flags().Float64("max-quarantine", 100*flaky.DefaultShare, "largest `PERCENT` of the suite in quarantine (evidence)")
	confirm := cmd.Flags().String("confirm", string(flaky.ConfirmAuto), "`WHEN` a failure waits for a rerun that passes: auto, always or never (evidence)")
	completeWords(cmd, "confirm", flaky.ConfirmWays()...)
	cmd.RunE = func(*cobra.Command, []string) error {
		policy, err := flaky.ParsePolicy(*name)
		switch {
		case err != nil:
			return usageError{"--policy: " + err.Error()}
		case *history == "":
			return usageError{"say which history to replay: --history FILE; `breadcrumb export --history FILE` writes one"}
		case !slices.Contains(flaky.ConfirmWays(), *confirm):
			return usageError{fmt.Sprintf("--confirm is %.40q; it must be %s", *confirm, joinChoices(flaky.ConfirmWays()))}
		case !(*share > 0 && *share <= 100):
			return usageError{fmt.Sprintf("--max-quarantine is %v; it must be above 0 and at most 100", *share)}
		}
		s.progress.show("replaying %s", *history)
		summary, err := replayFile(*history, *out, replay.Options{Policy: policy, Confirm: flaky.Confirm(*confirm), Share: *share / 100})
		if err != nil {
			return err
		}
		return summary.Write(s.Out, policy, report.LogLine)
	}
	return cmd
}

func replayFile(history, out string, o replay.Options) (summary replay.Summary, err error) {
	in, err := openHistory(history)
	if err != nil {
		return summary, err
	}
	defer in.Close()
	if out != "" {
		file, err := os.Create(out)
		if err != nil {
			return summary, usageError{fmt.Sprintf("verdicts: %v", err)}
		}
		w := bufio.NewWriter(file)
		defer func() { err = errors.Join(err, w.Flush(), file.Close()) }()
		o.Out = w
	}
	summary, err = replay.Run(in, o)
	if err != nil {
		return summary, usageError{fmt.Sprintf("history %s: %v", history, err)}
	}
	return summary, nil
}

// openHistory opens a history file and unpacks gzip, whatever the file's name.
func openHistory(name string) (io.ReadCloser, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, usageError{fmt.Sprintf("history: %v", err)}
	}
	buffered := bufio.NewReader(file)
	magic, _ := buffered.Peek(2)
	type history struct {
		io.Reader
		io.Closer
	}
	if string(magic) != "\x1f\x8b" {
		return history{buffered, file}, nil
	}
	unpacked, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, errors.Join(usageError{fmt.Sprintf("history %s: %v", name, err)}, file.Close())
	}
	return history{unpacked, file}, nil
}
