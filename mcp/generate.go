package mcp

import "context"

// Generator writes tests for pages.
type Generator interface {
	// Generate returns the files for the page at url, and writes none.
	Generate(ctx context.Context, url, language string) ([]GeneratedFile, error)
}

// GeneratedFile is one file of source code.
type GeneratedFile struct {
	Name string `json:"name" jsonschema:"relative and with slashes"`
	Test bool   `json:"test" jsonschema:"a test, otherwise a page object"`
	Text string `json:"text" text:"lines"`
}

type generateQuestion struct {
	URL      string `json:"url" jsonschema:"http or https address of the page"`
	Language string `json:"language,omitempty" jsonschema:"python, typescript or go"`
}

type generateAnswer struct {
	PageObject string          `json:"page_object" text:"lines" jsonschema:"the first page object"`
	TestFile   string          `json:"test_file" text:"lines" jsonschema:"the first test"`
	Files      []GeneratedFile `json:"files" jsonschema:"all of them"`
}

func (s *Server) addGenerate() {
	add(s, tool[generateQuestion, generateAnswer]{
		name: "breadcrumb_generate_tests", title: "Generate tests", openWorld: true,
		description: "Fetch a page and return a page object and a test for it. Nothing is written, and nothing of the page is executed.",
		answer: func(ctx context.Context, in generateQuestion) (out generateAnswer, err error) {
			return out, Problem("not yet")
		},
	})
}
