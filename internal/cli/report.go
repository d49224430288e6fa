package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/health"
	"github.com/breadcrumb/action/report"
	"github.com/breadcrumb/action/report/htmlreport"
)

const reportLong = `Show what the runs of the last days say of the suite.

Reads the database and tells which tests fail now; which are in quarantine,
since when, why, what gets them out and whose they are; which flip, with flip
rate and tier; and which locators were healed. Only runs of the default branch
and local ones count.`

// stripRuns is the number of runs in the HTML report's timeline.
const stripRuns = 300

const formatWords = "console, html, json, markdown or badge"

func newReport(s Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use: "report", Short: "Show quarantine, flaky tests and heals of the last days", Long: reportLong, Args: refuseArgs,
		Example: "  breadcrumb report\n  breadcrumb report --days 7 --format markdown\n  breadcrumb report --format html --output report.html\n  breadcrumb report --format badge --output flaky.svg",
	}
	cmd.Flags().SortFlags = false
	db := cmd.Flags().String("db", ".breadcrumb.db", dbUsage)
	days := cmd.Flags().Int("days", 30, "look back on this many `DAYS`; 0 for everything")
	format := cmd.Flags().String("format", "console", "`FORMAT`: "+formatWords)
	completeWords(cmd, "format", "console", "html", "json", "markdown", "badge")
	output := cmd.Flags().String("output", "", "write to this `FILE` instead of the terminal")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		write, known := surveyWriters[*format]
		switch {
		case !known:
			return usageError{fmt.Sprintf("--format is %q; it must be %s", *format, formatWords)}
		case *days < 0 || *days > health.MaxDays:
			return usageError{fmt.Sprintf("--days is %d; it must be 0 (everything) to %d", *days, health.MaxDays)}
		}
		return withDB(cmd.Context(), *db, toRead, func(ctx context.Context, d database) error {
			s.progress.show("reading the history")
			p := health.Period{Days: *days, Now: time.Now()}
			survey, err := health.LoadSurvey(ctx, d, p)
			if err != nil {
				return err
			}
			source := reportSource{survey: survey, timeline: func() (outcome.Timeline, error) { return d.Timeline(ctx, stripRuns, p.Since()) }}
			if *output == "" {
				return write(s.Out, source, consoleOptions(s.Out))
			}
			var text bytes.Buffer
			if err := write(&text, source, report.ConsoleOptions{}); err != nil {
				return err
			}
			if err := os.WriteFile(*output, text.Bytes(), 0o644); err != nil {
				return usageError{fmt.Sprintf("--output: %v", err)}
			}
			return nil
		})
	}
	return cmd
}

// reportSource is what a report is written from. The timeline is slow to read, so
// it is read only by the formats that show it.
type reportSource struct {
	survey   outcome.Survey
	timeline func() (outcome.Timeline, error)
}

// surveyWriters maps each format to the function that writes it.
var surveyWriters = map[string]func(io.Writer, reportSource, report.ConsoleOptions) error{
	"console": func(w io.Writer, t reportSource, o report.ConsoleOptions) error {
		return report.SurveyConsole(w, t.survey, o)
	},
	"json": func(w io.Writer, t reportSource, _ report.ConsoleOptions) error {
		return report.SurveyJSON(w, t.survey)
	},
	"html": func(w io.Writer, t reportSource, _ report.ConsoleOptions) error {
		timeline, err := t.timeline()
		if err != nil {
			return fmt.Errorf("read timeline: %w", err)
		}
		return htmlreport.Write(w, t.survey, timeline, htmlreport.Options{ServerURL: os.Getenv("GITHUB_SERVER_URL")})
	},
	"badge": func(w io.Writer, t reportSource, _ report.ConsoleOptions) error { return report.Badge(w, t.survey) },
	"markdown": func(w io.Writer, t reportSource, _ report.ConsoleOptions) error {
		_, err := io.WriteString(w, comment.Survey(t.survey, comment.Options{ServerURL: os.Getenv("GITHUB_SERVER_URL")}))
		return err
	},
}
