package report

import (
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine/outcome"
	"github.com/breadcrumb/action/engine/patch"
)

func TestTheEditsOfABundleNameTheOneThatTheyAreMadeWith(t *testing.T) {
	var out strings.Builder
	edit := func(line int) patch.Edit { return patch.Edit{File: "a.ts", Line: line, Before: " old", After: " new"} }
	err := ConsoleEdits(&out, []outcome.OfferedEdit{
		{ID: "aaaa0001", Bundle: "aaaa0001", Edit: edit(1)}, {ID: "aaaa0002", Bundle: "aaaa0001", Edit: edit(2)}, {ID: "aaaa0003", Edit: edit(3)},
	}, ConsoleOptions{Width: 80})
	want := "aaaa0001  a.ts:1\n  - old\n  + new\naaaa0002  a.ts:2, made with aaaa0001\n  - old\n  + new\naaaa0003  a.ts:3\n  - old\n  + new\n"
	if err != nil || out.String() != want {
		t.Errorf("%v: %s", err, out.String())
	}
}
