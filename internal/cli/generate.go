package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/generate"
	"github.com/breadcrumb/action/generate/guard"
	"github.com/breadcrumb/action/internal/playwrightgo"
	"github.com/breadcrumb/action/report"
)

// generateFlags are the flags of breadcrumb generate.
type generateFlags struct {
	lang, out string
	module    string
	force     bool
	browser   bool
	program   string
	ollama    string
	options   generate.Options
}

func newGenerate(s Streams) *cobra.Command {
	var f generateFlags
	cmd := &cobra.Command{
		Use:   "generate URL",
		Short: "Write page objects and tests for a site",
		Long: "Read a page, or a site to a depth, and write Playwright page objects and tests\nfor it. Every locator is proven to find one element. The tests open pages, look,\n" +
			"type and follow links; they submit nothing. Only http and https, only one\norigin, only public addresses.",
		Example: "  breadcrumb generate https://example.com/ --lang ts --out e2e\n" +
			"  breadcrumb generate https://example.com/ --depth 2 --max-pages 10 --lang go\n" +
			"  breadcrumb generate http://localhost:8080 --allow-private --browser",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Sprintf("want one URL, got %d arguments%s ('%s --help')", len(args), switchHint(cmd, args), cmd.CommandPath())}
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.lang, "lang", "ts", "`LANGUAGE` of the tests: go, ts or python")
	flags.StringVar(&f.module, "module", playwrightgo.Module, "`MODULE` of playwright-go that Go tests import")
	flags.StringVar(&f.out, "out", "e2e", "`FOLDER` to write to")
	flags.BoolVar(&f.force, "force", false, "overwrite files that differ")
	flags.IntVar(&f.options.Depth, "depth", 0, "follow links, at most `N` pages deep; 0 reads the one page")
	flags.IntVar(&f.options.MaxPages, "max-pages", generate.DefaultMaxPages, "read at most `N` pages")
	flags.Int64Var(&f.options.MaxBytes, "max-bytes", generate.DefaultMaxBytes, "`BYTES` of HTML of a page at most")
	flags.DurationVar(&f.options.Timeout, "timeout", generate.DefaultTimeout, "`TIME` for a page at most")
	flags.BoolVar(&f.browser, "browser", false, "render the pages in Chromium and prove the tests there")
	flags.StringVar(&f.program, "browser-path", "", "Chromium's `PROGRAM`, instead of the one that Playwright installed")
	flags.StringVar(&f.ollama, "ollama", "", "ask this local `MODEL` what elements are for, as comments (at OLLAMA_HOST or 127.0.0.1:11434)")
	flags.BoolVar(&f.options.AllowPrivate, "allow-private", false, "allow loopback and private addresses")
	flags.StringVar(&f.options.TestIDAttribute, "test-id-attribute", "data-testid", "the `ATTRIBUTE` that getByTestId reads")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return runGenerate(cmd.Context(), s, args[0], f) }
	return cmd
}

func runGenerate(ctx context.Context, s Streams, address string, f generateFlags) error {
	lang, err := generate.ParseLang(f.lang)
	if err != nil {
		return usageError{"--lang: " + err.Error()}
	}
	module, err := generate.ParseModule(f.module)
	if err != nil {
		return usageError{"--module: " + err.Error()}
	}
	if f.options.Depth < 0 || f.options.Depth > generate.MaxDepth || f.options.MaxPages < 1 || f.options.MaxBytes < 1 || f.options.Timeout <= 0 {
		return usageError{fmt.Sprintf("--depth is 0 to %d; --max-pages, --max-bytes and --timeout are more than 0", generate.MaxDepth)}
	}
	s.progress.show("reading %s", address)
	f.options.Progress = func(url string, done, left int) {
		s.progress.show("reading %s, %s read, %d left", url, text.Count(done, "page", "pages"), left)
	}
	site, err := crawlSite(ctx, address, f)
	if err != nil {
		return explainCrawlError(err)
	}
	if f.ollama != "" {
		if err := (generate.Ollama{Model: f.ollama, Host: os.Getenv("OLLAMA_HOST")}).Describe(ctx, &site); err != nil {
			site.Notes = append(site.Notes, "elements stay without comments: "+err.Error())
		}
	}
	files, err := generate.FilesForModule(site, lang, module)
	if err != nil {
		return err
	}
	written, err := generate.Write(f.out, files, f.force)
	if err != nil {
		return usageError{"--out " + f.out + ": " + err.Error()}
	}
	if err := printGenerated(s, site, files, written, f.out); err != nil {
		return err
	}
	next := map[generate.Lang][2]string{
		generate.TypeScript: {"npx playwright test", "@playwright/test"}, generate.Go: {"go test .", module}, generate.Python: {"pytest", "pytest-playwright"},
	}[lang]
	_, err = fmt.Fprintf(s.Out, "\nNext: run `%s` in %s; it needs %s and its browser\n", next[0], f.out, next[1])
	return err
}

// crawlSite reads the site as it is sent, or in Chromium.
func crawlSite(ctx context.Context, address string, f generateFlags) (generate.Site, error) {
	if !f.browser && f.program == "" {
		return generate.Crawl(ctx, address, f.options)
	}
	chromium, err := generate.OpenChromium(ctx, f.program, f.options)
	if err != nil {
		return generate.Site{}, err
	}
	defer chromium.Close()
	f.options.Browser = chromium
	site, err := generate.Crawl(ctx, address, f.options)
	site.Notes = append(chromium.Notes, site.Notes...)
	return site, err
}

// explainCrawlError adds what to do about a page that cannot be read.
func explainCrawlError(err error) error {
	_, refused := errors.AsType[guard.AddressError](err)
	hasProxy := slices.ContainsFunc(proxyVariables, func(name string) bool { return os.Getenv(name) != "" })
	if hasProxy && !refused {
		return usageError{err.Error() + "; proxies of the environment are not used, because the address they connect to could not be checked"}
	}
	return usageError{err.Error()}
}

// proxyVariables are the variables that name a proxy.
var proxyVariables = []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY", "all_proxy"}

// printGenerated prints which files were written, with all notes.
func printGenerated(s Streams, site generate.Site, files []generate.File, written []string, out string) error {
	for _, note := range site.Notes {
		fmt.Fprintln(s.Err, "note: "+report.LogLine(note))
	}
	elements := 0
	for _, p := range site.Pages {
		elements += len(p.Elements)
		for _, note := range p.Notes {
			fmt.Fprintln(s.Err, "note: "+report.LogLine(p.Path)+": "+report.LogLine(note))
		}
	}
	for _, name := range written {
		if _, err := fmt.Fprintln(s.Out, "wrote", out+"/"+name); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(s.Out, "%s, %s, %s written, %d unchanged\n", text.Count(len(site.Pages), "page", "pages"), text.Count(elements, "element", "elements"),
		text.Count(len(written), "file", "files"), len(files)-len(written))
	return err
}
