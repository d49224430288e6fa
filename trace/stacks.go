package trace

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/boundzip"
)

// stacks is a file of call stacks: names of files, and by call the frames
// [file, line, column, function]. Versions 7 and 8 number the calls, the others
// name them.
type stacks struct {
	Files  []string            `json:"files"`
	Stacks [][]json.RawMessage `json:"stacks"`
}

func (t *Trace) readStacks(a *boundzip.Archive, f *zip.File) error {
	r, err := a.Open(f)
	if err != nil {
		return err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxStacks+1))
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	if len(data) > maxStacks {
		return fmt.Errorf("%s: more than %d MiB; no line of the source is known", f.Name, maxStacks>>20)
	}
	var s stacks
	if len(data) == 0 {
		return nil
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("%s: not the stacks of a trace: %w", f.Name, err)
	}
	for _, entry := range s.Stacks {
		if len(entry) != 2 {
			continue
		}
		if c := t.calls[callName(entry[0])]; c != nil && c.Site == nil {
			c.Site = s.findSite(entry[1])
		}
	}
	return nil
}

func callName(raw json.RawMessage) string {
	var name string
	if json.Unmarshal(raw, &name) == nil {
		return name
	}
	return "call@" + string(raw)
}

// findSite returns the first frame that is the user's own, nil when there is none.
func (s *stacks) findSite(raw json.RawMessage) *engine.Site {
	var frames [][]any
	if json.Unmarshal(raw, &frames) != nil {
		return nil
	}
	for _, f := range frames {
		if len(f) < 3 {
			continue
		}
		file, line, column := number(f[0]), number(f[1]), number(f[2])
		if file < 0 || file >= len(s.Files) || line < 1 || isLibraryFile(s.Files[file]) {
			continue
		}
		return &engine.Site{File: strings.ReplaceAll(s.Files[file], `\`, "/"), Line: line, Column: max(0, column)}
	}
	return nil
}

func number(v any) int {
	f, ok := v.(float64)
	if !ok || f != f || f < 0 || f > 1e9 {
		return -1
	}
	return int(f)
}

// libraryFolders are parts of the paths of Playwright's own files and of libraries.
var libraryFolders = []string{"/node_modules/", "/site-packages/", "/dist-packages/", "playwright-community/playwright-go", "mxschmitt/playwright-go", "/pkg/mod/", "/src/testing/",
	"/src/runtime/", "com/microsoft/playwright/", "/_/src/Playwright/"}

// isLibraryFile reports whether a file is Playwright's own or a library's.
func isLibraryFile(file string) bool {
	file = strings.ReplaceAll(file, `\`, "/")
	return file == "" || strings.HasPrefix(file, "node:") || strings.HasPrefix(file, "testing/") || strings.HasPrefix(file, "runtime/") ||
		slices.ContainsFunc(libraryFolders, func(folder string) bool { return strings.Contains(file, folder) })
}
