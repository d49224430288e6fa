package locator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// TestInterop asks four versions of Playwright what they make of two thousand
// selectors, and the newest of them of what we print for each in four languages: it
// must be what we make of them.
func TestInterop(t *testing.T) {
	folder := os.Getenv("INTEROP")
	if folder == "" {
		t.Skip("make interop installs Playwright's own parsers and runs this")
	}
	selectors := randomSelectors(2000)
	for _, version := range []string{newest, "playwright-1.60", "playwright-1.52", "playwright-1.45"} {
		t.Run(version, func(t *testing.T) {
			d := &differences{t: t, folder: folder, version: version}
			d.compare(selectors)
		})
	}
}

const newest = "playwright-1.65"

// theirMeaning is what Playwright makes of one selector.
type theirMeaning struct {
	Parts   [][]string          `json:"parts"`
	Error   string              `json:"error"`
	Printed map[string][]string `json:"printed"`
}

type call struct {
	Language string `json:"language"`
	Code     string `json:"code"`
	selector string
	want     [][]string
}

type differences struct {
	t               *testing.T
	folder, version string
}

var theirLanguages = map[Language]string{TypeScript: "javascript", Python: "python", Java: "java", CSharp: "csharp"}

func (d *differences) compare(selectors []randomSelector) {
	var texts []string
	for _, s := range selectors {
		texts = append(texts, s.text)
	}
	theirs, _ := d.ask(texts, nil)
	var calls []call
	counts := map[string]int{}
	for i, text := range texts {
		m := theirs[i]
		if m.Error != "" {
			counts["not read by Playwright"]++
			continue
		}
		s, err := Parse(text)
		if err != nil {
			d.t.Errorf("%s: %v, and Playwright reads %v", text, err, m.Parts)
			continue
		}
		ours := meaningOf(s)
		if isOther(ours) || isOther(m.Parts) {
			counts["not read by us"]++
			if !isOther(m.Parts) && !strings.Contains(text, "internal:attr") {
				counts["read by Playwright alone"]++
			}
			continue
		}
		counts["read by both"]++
		if !equalMeaning(ours, m.Parts) {
			d.t.Errorf("%s\n ours   %q\n theirs %q", text, ours, m.Parts)
			continue
		}
		if !selectors[i].damaged {
			calls = append(calls, d.compareCalls(text, s, m, counts)...)
		}
	}
	if d.version != newest {
		calls = nil // older ones lose flags of regular expressions, among other things
	}
	_, read := d.ask(nil, calls)
	for i, c := range calls {
		counts["our code"]++
		if read[i].Error != "" {
			d.t.Errorf("%s: Playwright does not read %s: %s", c.selector, c.Code, read[i].Error)
		} else if !equalMeaning(c.want, read[i].Parts) {
			d.t.Errorf("%s: %s\n means  %q\n theirs %q", c.selector, c.Code, c.want, read[i].Parts)
		}
	}
	d.t.Log(counts)
	for _, least := range []string{"read by both", "our code", "their code", "our code read by us"} {
		if (least != "our code" || d.version == newest) && counts[least] < len(selectors)/2 {
			d.t.Errorf("only %d %s of %d", counts[least], least, len(selectors))
		}
	}
}

// compareCalls checks that what each side prints for a selector is read by us as that
// selector, and returns what we print, for Playwright to read.
func (d *differences) compareCalls(text string, s Selector, m theirMeaning, counts map[string]int) []call {
	want := meaningOf(s)
	var calls []call
	for _, lang := range languages {
		code := Print(s, lang)
		again, err := Parse(code)
		if counts["our code read by us"]++; err != nil || !equalMeaning(meaningOf(again), want) {
			d.t.Errorf("%s: we print %s and read it as %q (%v), want %q", text, code, meaningOf(again), err, want)
		}
		theirs := theirLanguages[lang]
		if theirs == "" {
			continue
		}
		calls = append(calls, call{theirs, strings.ReplaceAll(code, "page.", ""), text, want})
		for _, code := range m.Printed[theirs] {
			again, err := Parse(code)
			counts["their code"]++
			if err != nil || again.isUnread() {
				d.t.Errorf("%s: we do not read %s (%v)", text, code, err)
			} else if !equalMeaning(meaningOf(again), want) {
				d.t.Errorf("%s: they print %s, which we read as %q, want %q", text, code, meaningOf(again), want)
			}
		}
	}
	return calls
}

func (d *differences) ask(selectors []string, calls []call) (s, c []theirMeaning) {
	d.t.Helper()
	question, err := json.Marshal(map[string]any{"selectors": append([]string{}, selectors...), "calls": append([]call{}, calls...)})
	if err != nil {
		d.t.Fatal(err)
	}
	cmd := exec.CommandContext(d.t.Context(), "node", filepath.Join(d.folder, "ask.mjs"), d.version)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(question), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		d.t.Fatal(err)
	}
	var answer struct{ Selectors, Calls []theirMeaning }
	if err := json.Unmarshal(out, &answer); err != nil {
		d.t.Fatal(err)
	}
	return answer.Selectors, answer.Calls
}

func isOther(parts [][]string) bool {
	for _, p := range parts {
		if p[0] == "other" {
			return true
		}
	}
	return false
}

func equalMeaning(a, b [][]string) bool { return fmt.Sprint(len(a), a) == fmt.Sprint(len(b), b) }

// meaningOf returns what each part of a selector finds, as ask.mjs writes it.
func meaningOf(s Selector) [][]string {
	var out [][]string
	for _, p := range s.Parts {
		out = append(out, p.meaning())
	}
	return out
}

func (p Part) meaning() []string {
	match := map[Match]string{MatchLoose: "loose", MatchExact: "exact", MatchWhole: "whole", MatchUnset: "unset"}[p.Match]
	switch {
	case p.asksTextNode():
		match = "node"
	case p.Regexp:
		match = "regexp"
	case p.Kind == KindTestID:
		match = "exact"
	}
	value := p.Value
	if p.Regexp {
		source, flags := splitRegexp(value)
		sorted := strings.Split(flags, "")
		sort.Strings(sorted)
		value = "/" + strings.ReplaceAll(source, "\n", `\n`) + "/" + strings.Join(sorted, "")
	}
	switch p.Kind {
	case KindCSS:
		return []string{string(p.Kind), strings.TrimSpace(p.Value)}
	case KindXPath, KindID, KindNth, KindVisible:
		return []string{string(p.Kind), p.Value}
	case KindTestID:
		attr := p.Attr
		if attr == "" {
			attr = "data-testid"
		}
		return []string{string(p.Kind), attr, match, value}
	case KindText, KindLabel, KindHasText, KindHasNotText:
		return []string{string(p.Kind), match, value}
	case KindPlaceholder, KindTitle:
		return []string{"attribute", string(p.Kind), match, value}
	case KindAlt:
		return []string{"attribute", "alt", match, value}
	case KindFrame:
		return []string{"frame", "enter-frame"}
	case KindRole:
		if !p.Named {
			match = "any"
		}
		return []string{string(p.Kind), p.Role, match, value, strings.Join(sortedConditions(p.Rest), " ")}
	case KindHas, KindHasNot, KindAnd, KindOr:
		inner, err := Parse(p.Value)
		text, _ := json.Marshal(meaningOf(inner))
		if err == nil && !isOther(meaningOf(inner)) {
			return []string{string(p.Kind), strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(text))}
		}
	}
	return []string{"other", p.Raw}
}

func sortedConditions(rest string) []string {
	_, conditions, _ := readAttributes(rest)
	var out []string
	for _, c := range conditions {
		operator, value := c.operator, c.value
		if operator == "" {
			operator, value = "<truthy>", "null"
		}
		out = append(out, c.name+operator+value)
	}
	sort.Strings(out)
	return out
}

// randomSelector is a selector that a binding sends or people write, with values that
// are hard to quote, or what is left of it when a character is lost or put in.
type randomSelector struct {
	text    string
	damaged bool
}

// randomSelectors returns the same selectors in every run.
func randomSelectors(n int) []randomSelector {
	g := generator{rand.New(rand.NewPCG(7, 11))}
	var out []randomSelector
	for range n {
		s := randomSelector{g.chain(0), g.IntN(8) == 0}
		if s.damaged {
			s.text = g.damage(s.text)
		}
		if strings.TrimSpace(s.text) != "" && len(s.text) < maxLength {
			out = append(out, s)
		}
	}
	return out
}

type generator struct{ *rand.Rand }

func pick[T any](g generator, of []T) T { return of[g.IntN(len(of))] }

var (
	hardPieces = []string{"Save", "a", " ", "'", `"`, "`", `\`, ">>", ">", "[", "]", "(", ")", "/", "=", "i", "s", "ü", "日本", "😀", "\t", "\n", "$", "${x}", "{0}", "#", ".", "*", ":", ",", "-1", "\\n", "\\u0041", "//", "..", "text=", "true", "0", "\u00a0", "<", "&"}
	patterns   = []string{`save`, `sa"ve`, `a/b`, `a\/b`, `[/]x`, `^\d+ items$`, `it's`, "a`b", `a>>b`, `\\`, `\bok\b`, `(a|b)+`, `[^\]]/`, `ü`, `\$\{x\}`}
)

func (g generator) value() string {
	var b strings.Builder
	for range 1 + g.IntN(4) {
		b.WriteString(pick(g, hardPieces))
	}
	return b.String()
}

func (g generator) regexp() string {
	source := pick(g, patterns)
	return "/" + strings.ReplaceAll(strings.ReplaceAll(source, `\/`, "/"), "/", `\/`) + "/" + pick(g, []string{"", "i", "i", "m", "im"})
}

func (g generator) chain(depth int) string {
	parts := []string{g.part(depth, true)}
	for range g.IntN(3) {
		parts = append(parts, g.part(depth, false))
	}
	return strings.Join(parts, pick(g, []string{" >> ", ">>"}))
}

func (g generator) damage(text string) string {
	at := g.IntN(len(text) + 1)
	if g.IntN(2) == 0 || at == len(text) {
		return strings.ToValidUTF8(text[:at], "") + pick(g, hardPieces) + strings.ToValidUTF8(text[at:], "")
	}
	return strings.ToValidUTF8(text[:at]+text[at+1:], "")
}

// part returns one part. A first one finds an element by itself.
func (g generator) part(depth int, first bool) string {
	value := g.value()
	match := pick(g, []Match{MatchLoose, MatchExact})
	css := func(quote string) string {
		return quote + strings.NewReplacer(`\`, `\\`, quote, `\`+quote).Replace(value) + quote
	}
	makers := []func() string{
		func() string { return newPart(KindTestID, value, MatchUnset).Raw },
		func() string {
			return newPart(pick(g, []Kind{KindLabel, KindText, KindPlaceholder, KindTitle, KindAlt}), value, match).Raw
		},
		func() string {
			return rolePart(pick(g, []string{"button", "link", "textbox", "menuitemcheckbox"}), value, true, match).Raw
		},
		func() string {
			kind := pick(g, []Kind{KindLabel, KindText, KindPlaceholder, KindTitle, KindAlt, KindTestID})
			return argument{kind: isRegexp, text: plainRegexp(g.regexp())}.part(kind, MatchUnset).Raw
		},
		func() string { return "internal:role=button[name=" + escapeRegexp(plainRegexp(g.regexp())) + "]" },
		func() string {
			return "internal:role=heading" + pick(g, []string{"", "[level=2]", "[checked=true]", "[include-hidden=true][pressed=false]", "[checked=mixed]"})
		},
		func() string {
			return "role=button[name=" + css(pick(g, []string{`"`, "'"})) + pick(g, []string{"", "", "i", "s"}) + "]"
		},
		func() string { return "text=" + css(pick(g, []string{`"`, "'"})) + pick(g, []string{"", "", "i"}) },
		func() string { return css(pick(g, []string{`"`, "'"})) },
		func() string {
			return "text=" + strings.NewReplacer(">", "", "\"", "", "'", "", "`", "", `\`, "").Replace(value) + "."
		},
		func() string { return "text=" + g.regexp() },
		func() string { return pick(g, []string{"css=", ""}) + "[data-x=" + css(`"`) + "]" },
		func() string {
			return pick(g, []string{"#save", ".a > .b", "li:has-text('x')", "a:nth-child(2)", "css=#save", "xpath=//a[@id='x']", "//a[1]", "(//a)[1]", "id=save", "data-testid=go", "css = #save"})
		},
	}
	if !first {
		makers = append(makers,
			func() string { return "nth=" + pick(g, []string{"0", "-1", "3"}) },
			func() string { return newPart(pick(g, []Kind{KindHasText, KindHasNotText}), value, MatchLoose).Raw },
			func() string {
				return argument{kind: isRegexp, text: plainRegexp(g.regexp())}.part(KindHasText, MatchUnset).Raw
			},
			func() string { return "visible=" + pick(g, []string{"true", "false"}) },
		)
		if depth < 2 {
			makers = append(makers, func() string {
				return "internal:" + pick(g, []string{"has", "has-not", "and", "or"}) + "=" + textString(g.chain(depth+1))
			})
		}
	}
	return pick(g, makers)()
}
