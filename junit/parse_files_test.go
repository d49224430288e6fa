package junit

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

func TestParseFilesGoesOnPastABadFile(t *testing.T) {
	content := map[string]string{
		"b.xml":   `<testsuite name="s"><testcase name="b"/></testsuite>`,
		"a.xml":   `<testsuite name="s"><testcase name="a"/></testsuite>`,
		"bad.xml": `<test-run/>`,
		"cut.xml": `<testsuite name="s"><testcase name="c"/>`,
	}
	open := func(name string) (io.ReadCloser, error) {
		text, ok := content[name]
		if !ok {
			return nil, os.ErrNotExist
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}
	names := []string{"cut.xml", "gone.xml", "b.xml", "bad.xml", "a.xml", "b.xml"}
	files, notices := ParseFiles(t.Context(), open, names, Options{})
	var read []string
	for _, f := range files {
		read = append(read, f.Name)
	}
	if diff := cmp.Diff([]string{"a.xml", "b.xml", "cut.xml"}, read); diff != "" {
		t.Error(diff)
	}
	var blocking []string
	for _, n := range notices {
		if n.Severity == engine.SeverityBlocking {
			blocking = append(blocking, n.File)
		}
	}
	if diff := cmp.Diff([]string{"bad.xml", "cut.xml", "gone.xml"}, blocking); diff != "" {
		t.Error(diff, notices)
	}
}

func TestParseFilesEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	files, notices := ParseFiles(ctx, func(string) (io.ReadCloser, error) { return nil, errors.New("opened") }, []string{"a.xml"}, Options{})
	if len(files) != 0 || len(notices) != 1 || !strings.Contains(notices[0].Reason, "canceled") {
		t.Errorf("%v %v", files, notices)
	}
}
