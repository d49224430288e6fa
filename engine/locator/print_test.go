package locator

import (
	"go/parser"
	"strings"
	"testing"

	"github.com/breadcrumb/action/internal/golden"
)

var languages = []Language{TypeScript, Python, Java, CSharp, Go}

func TestPrint(t *testing.T) {
	var got strings.Builder
	for _, text := range []string{
		`#login-btn`, `[data-testid="login"]`, `xpath=//a[@id="x"]`, `internal:testid=[data-testid="login"s]`,
		`internal:role=button`, `internal:role=button[name="Save"i]`, `internal:role=button[name="Save"s]`,
		`internal:label="E-mail"i`, `internal:label="E-mail"s`, `internal:attr=[placeholder="Search"i]`,
		`internal:attr=[alt="Logo"s]`, `internal:attr=[title="Close"i]`, `internal:text="Hello"i`, `text=Hello`,
		`#list >> li >> internal:has-text="Blue"i >> nth=0`, `li >> nth=-1`, `li >> nth=3`,
		`#cart >> internal:role=button[name="Pay"s]`, `#f >> internal:control=enter-frame >> internal:text="Hi"i`,
		`li >> internal:has="\"a\""`, `internal:role=heading[name="A"i][level=2]`, `internal:text=/a/i`,
		`li >> internal:has="internal:role=button[name=\"Go\"i]"`, `li >> internal:has-not="internal:text=\"x\"i" >> visible=true`,
		`internal:role=button[checked=true][pressed=false][name="x"s]`, `internal:role=link[include-hidden=true]`, `internal:role=link[busy=true]`,
		`internal:role=button[name=/a\/"b\d/i]`, `internal:testid=[data-testid=/abc-\d+/]`, `li >> internal:has-text=/foo/`,
		`li >> internal:has-text="B"s`, `li >> internal:has-not-text="No"i`, `a >> internal:and="internal:role=link" >> internal:or="b"`,
		`internal:testid=[data-testid="fr"s] >> internal:control=enter-frame >> internal:role=button[name="S"s]`,
		`iframe >> nth=0 >> internal:control=enter-frame >> #x`, `internal:has="a"`,
		`internal:text="it's \"quoted\" \\ {0} ${x} \n\u202e"i`,
	} {
		s, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got.WriteString(text + "\n")
		for _, lang := range languages {
			got.WriteString("  " + string(lang) + "\t" + Print(s, lang) + "\n")
		}
	}
	golden.Check(t, "testdata/print.golden", got.String())
}

func TestPrintOfNothingIsEmpty(t *testing.T) {
	if got := Print(Selector{}, Go); got != "" {
		t.Error(got)
	}
}

// FuzzPrintStaysInItsLiteral prints hostile values as Go and lets Go's own
// parser say whether it is still one call with one string.
func FuzzPrintStaysInItsLiteral(f *testing.F) {
	for _, seed := range []string{`"`, `\`, `\"`, "`", "a\nb", "\x00", "\u2028", "${x}", `") + os.Exit(1) + ("`, "\\u0022"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		s := Selector{Parts: []Part{newPart(KindText, value, MatchLoose)}}
		code := Print(s, Go)
		expr, err := parser.ParseExpr(code)
		if err != nil {
			t.Fatalf("%s: %v", code, err)
		}
		if want := len(code); int(expr.End()-expr.Pos()) != want {
			t.Fatalf("%s ends early", code)
		}
		for _, lang := range languages {
			if strings.ContainsAny(Print(s, lang), "\n\r\u2028\u202e") {
				t.Fatalf("%s has a line end or hidden mark: %q", lang, Print(s, lang))
			}
		}
	})
}

func TestALocatorInAFrameIsPrintedFromThePageOn(t *testing.T) {
	frame := ByCSS(`iframe[title="Pay"]`).Frame()
	s := ByRole("button", "Go", MatchLoose).Inside(ByAttribute("id", "in").Inside(frame).Frame())
	if got, want := Print(s, Go), `page.FrameLocator("iframe[title=\"Pay\"]").FrameLocator("#in").GetByRole("button", playwright.FrameLocatorGetByRoleOptions{Name: "Go"})`; got != want {
		t.Errorf("got %s", got)
	}
}
