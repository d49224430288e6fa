package trace

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

const shopPage = `["HTML",{},["BODY",{},["H1",{},"Shop"],["BUTTON",{"id":"buy"},"Buy"],["BUTTON",{"id":"sell"},"Sell"]]]`

func TestHostileZipsAreRefused(t *testing.T) {
	bomb := strings.Repeat(`{"type":"log"}`+strings.Repeat(" ", 1<<20)+"\n", 64)
	many := make([]file, 40)
	for i := range many {
		many[i] = file{fmt.Sprintf("resources/%d", i), ""}
	}
	cases := map[string]struct {
		files  []file
		limits Limits
	}{
		"two files of one name":       {files: []file{{"1-trace.trace", newest}, {"1-trace.trace", newest}}},
		"a name that leaves":          {files: []file{{"../1-trace.trace", newest}}},
		"an absolute name":            {files: []file{{"/etc/1-trace.trace", newest}}},
		"a name with a backslash":     {files: []file{{`..\1-trace.trace`, newest}}},
		"a name of two lines":         {files: []file{{"a\n::error::b.trace", newest}}},
		"too many files":              {files: many, limits: Limits{Entries: 20}},
		"more than is unpacked":       {files: []file{{"1-trace.trace", newest + bomb}}, limits: Limits{Unpacked: 4 << 20}},
		"more than zip could pack":    {files: []file{{"1-trace.trace", newest + bomb}}},
		"a bomb of stacks":            {files: []file{{"1-trace.trace", newest}, {"1-trace.stacks", strings.Repeat(" ", 32<<20)}}},
		"no events":                   {files: []file{{"readme.txt", "hello"}}},
		"events that are not a trace": {files: []file{{"1-trace.trace", "hello\nworld\n"}}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			data := pack(t, c.files...)
			_, err := Read("trace.zip", strings.NewReader(string(data)), int64(len(data)), c.limits)
			if !errors.Is(err, ErrHostile) {
				t.Errorf("got %v, want ErrHostile", err)
			}
		})
	}
	if _, err := read([]byte("no zip at all")); err == nil || !strings.Contains(err.Error(), "no zip file") {
		t.Errorf("no zip: %v", err)
	}
}

func TestAVersionThatIsNotKnownIsSaid(t *testing.T) {
	for version, want := range map[int]string{6: "update Playwright", 11: "update Breadcrumb", 0: "update Playwright"} {
		_, err := read(pack(t, file{"1-trace.trace", fmt.Sprintf(`{"type":"context-options","version":%d}`, version)}))
		if !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), want) {
			t.Errorf("version %d: %v", version, err)
		}
	}
}

func TestWhatCanBeReadOfADamagedTraceCounts(t *testing.T) {
	whole := newest + click("call@1", "#buy", shopPage, `[[1,6]]`, false)
	trace, err := read(pack(t,
		file{"1-trace.trace", whole + `{"type":"before","callId":"call@2","par`},
		file{"1-trace.stacks", `{"files":["a.ts"],"stac`}))
	if err != nil {
		t.Fatal(err)
	}
	if len(trace.Calls) != 1 || trace.Failed {
		t.Errorf("got %d calls, failed %v", len(trace.Calls), trace.Failed)
	}
	if len(trace.Notes) != 2 || !strings.Contains(trace.Notes[0], "1 events could not be read") || !strings.Contains(trace.Notes[1], "1-trace.stacks") {
		t.Errorf("notes: %q", trace.Notes)
	}
}

func TestALineThatIsTooLongIsLeftOutAndTold(t *testing.T) {
	data := pack(t, file{"1-trace.trace", newest + `{"type":"console","text":"` + strings.Repeat("x", 3000) + `"}` + "\n" + click("c", "#buy", shopPage, `[[1,6]]`, false)})
	trace, err := Read("trace.zip", strings.NewReader(string(data)), int64(len(data)), Limits{Line: 2000})
	if err != nil || len(trace.Calls) != 1 || len(trace.Notes) != 1 {
		t.Errorf("%v, %+v", err, trace)
	}
}

func TestSitesAreTheUsersOwn(t *testing.T) {
	cases := map[string]struct {
		files, frames string
		want          *engine.Site
	}{
		"JavaScript: the first":   {`["/w/pages/cart.ts","/w/cart.spec.ts"]`, `[[0,4,9,"CartPage.add"],[1,12,3,""]]`, &engine.Site{File: "/w/pages/cart.ts", Line: 4, Column: 9}},
		"Go: behind Playwright's": {`["/root/go/pkg/mod/github.com/playwright-community/playwright-go@v0.6000.0/locator.go","/w/cart_test.go"]`, `[[0,99,0,"Click"],[1,7,0,"TestCart"]]`, &engine.Site{File: "/w/cart_test.go", Line: 7}},
		"Python: behind packages": {`["/usr/lib/python3/site-packages/pytest_playwright/x.py","/w/test_cart.py"]`, `[[0,3,0,""],[1,8,0,""]]`, &engine.Site{File: "/w/test_cart.py", Line: 8}},
		"Windows":                 {`["C:\\w\\cart.spec.ts"]`, `[[0,4,9,""]]`, &engine.Site{File: "C:/w/cart.spec.ts", Line: 4, Column: 9}},
		"none of the user's":      {`["/w/node_modules/helper/index.js"]`, `[[0,4,9,""]]`, nil},
		"numbers that are none":   {`["a.ts"]`, `[[7,1,1,""],[0,0,0,""],[0,-1,2,""],[0,1e300,2,""],["a",1,1],[]]`, nil},
	}
	for name, c := range cases {
		for _, id := range []string{`"call@7"`, `7`} {
			trace, err := read(pack(t,
				file{"trace.trace", newest + click("call@7", "#buy", shopPage, `[[1,6]]`, false)},
				file{"trace.stacks", `{"files":` + c.files + `,"stacks":[[` + id + `,` + c.frames + `]]}`}))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, trace.Calls[0].Site); diff != "" {
				t.Errorf("%s, id %s: %s", name, id, diff)
			}
		}
	}
}

func TestTheTestIsTheTitleWithoutItsLine(t *testing.T) {
	for title, want := range map[string]string{
		"shop.spec.ts:8 › Cart › adds at 10:30": "shop.spec.ts › Cart › adds at 10:30",
		"shop.spec.ts:8:3 › adds":               "shop.spec.ts › adds",
		"test-cart-py-test-add":                 "test-cart-py-test-add",
		"":                                      "",
	} {
		if got := (&Trace{Title: title}).TestID(); got != want {
			t.Errorf("%q: got %q, want %q", title, got, want)
		}
	}
}
