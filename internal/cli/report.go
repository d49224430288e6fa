package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/ci"
	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/report"
	"github.com/breadcrumb/action/report/htmlreport"
	"github.com/breadcrumb/action/store"
)

const reportLong = `Show what the runs of the last days say of the suite.

Reads the database and tells which tests are in quarantine, since when, why, what
gets them out and whose they are; which tests flip, with flip rate and tier; and
which locators were healed. Only runs of the default branch and local ones count.`

// reportWindow is how many executions of a test are looked at: what the longest
// of its figures looks back on.
const reportWindow = 20

// stripRuns is how many runs the HTML report draws.
const stripRuns = 300

const formatWords = "console, html, json, markdown or badge"

func newReport(s Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use: "report", Short: "Show quarantine, flaky tests and heals of the last days", Long: reportLong, Args: noArgs,
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
		case *days < 0 || *days > maxDays:
			return usageError{fmt.Sprintf("--days is %d; it must be 0 (everything) to %d", *days, maxDays)}
		}
		return withDB(cmd.Context(), *db, func(ctx context.Context, d database) error {
			p := period{days: *days, now: time.Now()}
			survey, err := survey(ctx, d, p)
			if err != nil {
				return err
			}
			told := telling{survey: survey, timeline: func() (outcome.Timeline, error) { return d.Timeline(ctx, stripRuns, p.since()) }}
			if *output == "" {
				return write(s.Out, told, consoleOptions(s.Out))
			}
			var text bytes.Buffer
			if err := write(&text, told, report.ConsoleOptions{}); err != nil {
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

// maxDays bounds a period: a hundred years.
const maxDays = 36_525

// period is the last days up to now; 0 days are all time.
type period struct {
	days int
	now  time.Time
}

func (p period) since() time.Time {
	if p.days == 0 {
		return time.Unix(0, 0)
	}
	return p.now.AddDate(0, 0, -p.days)
}

// telling is what the formats are written from. Not every one needs the
// timeline, which is dear to read.
type telling struct {
	survey   outcome.Survey
	timeline func() (outcome.Timeline, error)
}

// surveyWriters write a survey, by the names of their formats.
var surveyWriters = map[string]func(io.Writer, telling, report.ConsoleOptions) error{
	"console": func(w io.Writer, t telling, o report.ConsoleOptions) error {
		return report.SurveyConsole(w, t.survey, o)
	},
	"json": func(w io.Writer, t telling, _ report.ConsoleOptions) error { return report.SurveyJSON(w, t.survey) },
	"html": func(w io.Writer, t telling, _ report.ConsoleOptions) error {
		timeline, err := t.timeline()
		if err != nil {
			return fmt.Errorf("read timeline: %w", err)
		}
		return htmlreport.Write(w, t.survey, timeline, htmlreport.Options{ServerURL: os.Getenv("GITHUB_SERVER_URL")})
	},
	"badge": func(w io.Writer, t telling, _ report.ConsoleOptions) error { return report.Badge(w, t.survey) },
	"markdown": func(w io.Writer, t telling, _ report.ConsoleOptions) error {
		_, err := io.WriteString(w, comment.Survey(t.survey, comment.Options{ServerURL: os.Getenv("GITHUB_SERVER_URL")}))
		return err
	},
}

// survey sums up a period of a database.
func survey(ctx context.Context, db database, p period) (outcome.Survey, error) {
	in := outcome.SurveyInput{Now: p.now, Days: p.days, Notices: db.Notices()}
	since := p.since()
	var err error
	if in.Histories, in.Runs, err = db.HistoriesSince(ctx, reportWindow, since); err != nil {
		return outcome.Survey{}, fmt.Errorf("read histories: %w", err)
	}
	if in.Quarantine, err = ci.Quarantine(ctx, db); err != nil {
		return outcome.Survey{}, fmt.Errorf("read quarantine: %w", err)
	}
	heals, notices, err := db.Heals(ctx, store.HealQuery{})
	if err != nil {
		return outcome.Survey{}, fmt.Errorf("read heals: %w", err)
	}
	in.Notices = append(in.Notices, notices...)
	in.Heals = healsSince(heals, float64(since.Unix()))
	return outcome.NewSurvey(in), nil
}

// healsSince returns the heals that happened at since, in Unix seconds, or
// later.
func healsSince(heals []engine.HealEvent, since float64) []engine.HealEvent {
	var late []engine.HealEvent
	for _, h := range heals {
		if h.Timestamp >= since {
			late = append(late, h)
		}
	}
	return late
}
