package trace

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// file is a file of a zip.
type file struct{ name, text string }

func pack(tb testing.TB, files ...file) []byte {
	tb.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w, err := z.Create(f.name)
		if err == nil {
			_, err = w.Write([]byte(f.text))
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func read(data []byte) (*Trace, error) {
	return Read("trace.zip", bytes.NewReader(data), int64(len(data)), Limits{})
}

// newest is the first event of a trace of the newest version.
const newest = `{"version":10,"type":"context-options","playwrightVersion":"1.65.1","sdkLanguage":"javascript","title":"shop.spec.ts:4 › buys"}` + "\n"

// click is a click on a selector that has the page before it and after it.
func click(id, selector, before, after string, failed bool) string {
	problem := ""
	if failed {
		problem = `,"error":{"message":"Timeout"}`
	}
	return fmt.Sprintf(`{"type":"before","callId":%[1]q,"class":"Frame","method":"click","params":{"selector":%[2]s}}
{"type":"frame-snapshot","snapshot":{"callId":%[1]q,"phase":"before","pageId":"p","frameId":"f","frameUrl":"http://shop/","html":%[3]s,"isMainFrame":true}}
{"type":"after","callId":%[1]q%[5]s}
{"type":"frame-snapshot","snapshot":{"callId":%[1]q,"phase":"after","pageId":"p","frameId":"f","frameUrl":"http://shop/","html":%[4]s,"isMainFrame":true}}
`, id, text(selector), before, after, problem)
}

func text(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// realTraces returns the traces of a release of the suite by their names.
func realTraces(tb testing.TB, version, release string) map[string]*Trace {
	tb.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "traces", version, release, "*.zip"))
	if err != nil || len(names) == 0 {
		tb.Fatalf("no traces of %s, %s: run trace/testdata/make.sh", version, release)
	}
	traces := map[string]*Trace{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		t, err := read(data)
		if err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
		if len(t.Notes) > 0 {
			tb.Errorf("%s: %s", name, strings.Join(t.Notes, "; "))
		}
		traces[strings.TrimSuffix(filepath.Base(name), ".zip")] = t
	}
	return traces
}
