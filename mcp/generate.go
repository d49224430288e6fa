package mcp

import (
	"cmp"
	"context"

	"github.com/breadcrumb/action/engine/text"
	"github.com/breadcrumb/action/generate"
)

// maxNotes bounds the notes on a page.
const maxNotes = 50

type generateQuestion struct {
	URL      string `json:"url" jsonschema:"http or https address of the page"`
	Language string `json:"language,omitempty" jsonschema:"python, ts or go"`
}

type generateAnswer struct {
	PageObject     string        `json:"page_object" text:"lines" jsonschema:"source code"`
	PageObjectPath string        `json:"page_object_path" jsonschema:"where it belongs, below the folder of the tests"`
	TestFile       string        `json:"test_file" text:"lines" jsonschema:"source code"`
	TestFilePath   string        `json:"test_file_path"`
	SupportFiles   []supportFile `json:"support_files" jsonschema:"what both need beside them"`
	Elements       int           `json:"elements" jsonschema:"of the page that the code is for"`
	Altered        bool          `json:"altered" jsonschema:"control characters were removed from the code"`
	Notes          []string      `json:"notes" jsonschema:"what was left out and why"`
	Truncated      truncated     `json:"truncated"`
}

type supportFile struct {
	Path string `json:"path"`
	Text string `json:"text" text:"lines"`
}

func (s *Server) addGenerate() {
	addTool(s, tool[generateQuestion, generateAnswer]{
		name: "breadcrumb_generate_tests", title: "Generate tests", openWorld: true,
		description: "Fetch one page and return a page object and a Playwright test for it, in Python unless told otherwise. Every locator is proven to find one element. Nothing is written and nothing of the page is executed.",
		answer: func(ctx context.Context, in generateQuestion) (generateAnswer, error) {
			lang, err := generate.ParseLang(cmp.Or(in.Language, string(generate.Python)))
			if err != nil {
				return generateAnswer{}, Problem(err.Error())
			}
			site, err := generate.Crawl(ctx, in.URL, generate.Options{MaxPages: 1, AllowPrivate: s.opts.AllowPrivate})
			if err != nil {
				return generateAnswer{}, Problem(err.Error())
			}
			files, err := generate.Files(site, lang)
			if err != nil {
				return generateAnswer{}, err
			}
			return newGenerateAnswer(site, files), nil
		},
	})
}

// newGenerateAnswer takes the files of one page, of which the page object and
// the test come last.
func newGenerateAnswer(site generate.Site, files []generate.File) generateAnswer {
	out := generateAnswer{Truncated: truncated{}}
	for _, f := range files {
		out.Altered = out.Altered || text.Clean(f.Text) != f.Text
	}
	support, page, test := files[:len(files)-2], files[len(files)-2], files[len(files)-1]
	out.PageObject, out.PageObjectPath, out.TestFile, out.TestFilePath = page.Text, page.Path, test.Text, test.Path
	for _, f := range support {
		out.SupportFiles = append(out.SupportFiles, supportFile(f))
	}
	notes := site.Notes
	for _, p := range site.Pages {
		out.Elements += len(p.Elements)
		notes = append(notes, p.Notes...)
	}
	out.Notes = limitList(out.Truncated, "notes", notes, maxNotes, len(notes))
	return out
}
