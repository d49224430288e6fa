package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/comment"
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/health"
	"github.com/breadcrumb/action/picture"
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
	heals := cmd.Flags().String("heals", "heals", "`FOLDER` of heal events, whose pictures the HTML report shows")
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
			elements, err := openPictures(*heals)
			if err != nil {
				return usageError{fmt.Sprintf("--heals: %v", err)}
			}
			defer elements.close()
			elements.recall = func(h engine.HealEvent) ([]byte, bool) {
				_, state, ok, err := d.Recall(ctx, h.TestID, engine.StoredLocator(h.Locator, h.Occurrence))
				return state, ok && err == nil
			}
			source := reportSource{survey: survey, elements: elements, timeline: func() (outcome.Timeline, error) { return d.Timeline(ctx, stripRuns, p.Since()) }}
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
	elements pictures
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
		return htmlreport.Write(w, t.survey, timeline, htmlreport.Options{ServerURL: os.Getenv("GITHUB_SERVER_URL"), Elements: t.elements})
	},
	"badge": func(w io.Writer, t reportSource, _ report.ConsoleOptions) error { return report.Badge(w, t.survey) },
	"markdown": func(w io.Writer, t reportSource, _ report.ConsoleOptions) error {
		_, err := io.WriteString(w, comment.Survey(t.survey, comment.Options{ServerURL: os.Getenv("GITHUB_SERVER_URL")}))
		return err
	},
}

// pictures is what elements looked like: pictures in folders beside heal events, and the
// pages that were learned.
type pictures struct {
	folders []*os.Root
	recall  func(engine.HealEvent) (state []byte, ok bool)
}

// Bounds of the search for folders of pictures.
const (
	maxPictureFolders = 100
	maxHealEntries    = 100_000
)

// openPictures opens every folder of pictures below one of heal events, which need not be
// there. A symbolic link is not followed.
func openPictures(heals string) (p pictures, err error) {
	entries := 0
	err = filepath.WalkDir(heals, func(name string, d fs.DirEntry, err error) error {
		if entries++; entries > maxHealEntries || len(p.folders) == maxPictureFolders {
			return fs.SkipAll
		}
		switch {
		case errors.Is(err, fs.ErrNotExist) && name == heals:
			return nil
		case err != nil || !d.IsDir() || d.Name() != engine.PictureFolder:
			return err
		}
		folder, err := os.OpenRoot(name)
		if err != nil {
			return err
		}
		p.folders = append(p.folders, folder)
		return fs.SkipDir
	})
	if err != nil {
		p.close()
	}
	return p, err
}

func (p pictures) close() {
	for _, folder := range p.folders {
		_ = folder.Close() // was only read
	}
}

// Found implements [htmlreport.Elements].
func (p pictures) Found(name string) []byte {
	for _, folder := range p.folders {
		if content, err := picture.Load(folder, name); err == nil {
			return content
		}
	}
	return nil
}

// Lost implements [htmlreport.Elements].
func (p pictures) Lost(h engine.HealEvent) (*heal.Page, int, bool) {
	state, ok := p.recall(h)
	if !ok {
		return nil, 0, false
	}
	page, err := heal.ReadState(state)
	if err != nil {
		return nil, 0, false
	}
	i, found := page.Find(h.Original)
	return page, i, found
}
