package comment

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/outcome"
)

// offered gives a run an offer for each proposal with an edit.
func withSuggestions(run outcome.Run) outcome.Run {
	for i, p := range run.Proposals {
		if p.Edit == nil || p.SameAs > 0 {
			continue
		}
		e := *p.Edit
		if e.Old == "" {
			e.Old, e.New = "'div.cart > ul > li:nth-child(2) > button.remove'", `'button[aria-label="Remove Blue mug"]'`
		}
		run.Edits = append(run.Edits, outcome.OfferedEdit{
			ID: fmt.Sprintf("%08x", 0xa1b2c300+i), Proposal: i, Path: run.Path(e.File), Edit: e, Column: strings.Index(e.Before, e.Old),
			Blob: strings.Repeat("b", 40), Tests: []engine.TestID{p.Heal.TestID},
		})
		if p.Suggested() {
			run.Edits[len(run.Edits)-1].Changed = outcome.DescribeSuggestion(p.Heal, outcome.Quote)
		}
	}
	return run
}

func body(s State) string {
	line, _ := s.hiddenLine()
	return marker("e2e") + "\n" + line + "\n### text\n"
}

func TestStateIsReadBack(t *testing.T) {
	run := withSuggestions(healsRun())
	want := NewState(run, map[string]bool{run.Edits[0].ID: true}, []string{"0000ffff"})
	for _, text := range []string{body(want), strings.ReplaceAll(body(want), "\n", "\r\n")} {
		got, ok := ParseState(text)
		if !ok {
			t.Fatal("no state")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestIgnoredSuggestionsAreNotInTheState(t *testing.T) {
	run := withSuggestions(healsRun())
	s := NewState(run, nil, []string{run.Edits[0].ID})
	if len(s.Edits) != 1 || s.Edits[0].ID != run.Edits[1].ID {
		t.Errorf("offers %+v", s.Edits)
	}
	s.Ignore(run.Edits[1].ID)
	s.Ignore(run.Edits[1].ID)
	if len(s.Edits) != 0 || len(s.Ignored) != 2 {
		t.Errorf("state %+v", s)
	}
}

func TestALargeStateKeepsItsFirstSuggestions(t *testing.T) {
	s := State{Head: strings.Repeat("1", 40)}
	for i := range 5000 {
		s.Edits = append(s.Edits, SavedEdit{SavedElement: SavedElement{ID: fmt.Sprintf("%08x", i), Test: fmt.Sprint(i)}, Path: fmt.Sprintf("a/%x.ts", i*7919), Blob: fmt.Sprintf("%040x", i*104729), Line: 1})
	}
	text, kept := s.hiddenLine()
	if len(text) > maxStateText || len(kept.Edits) == 0 || len(kept.Edits) >= 1000 {
		t.Errorf("%d bytes, %d offers", len(text), len(kept.Edits))
	}
	got, ok := ParseState(marker("e2e") + "\n" + text + "\n")
	if !ok || cmp.Diff(kept, got) != "" {
		t.Error("not read back")
	}
}

func TestALargeStateLosesWhatIsKnownOfElementsBeforeItLosesEdits(t *testing.T) {
	s := State{Head: strings.Repeat("1", 40)}
	for i := range 200 {
		s.Edits = append(s.Edits, SavedEdit{SavedElement: SavedElement{ID: fmt.Sprintf("%08x", i), Test: "a"}, Path: "a.ts", Blob: strings.Repeat("b", 40), Line: 1,
			Accepted: []engine.Fingerprint{{Tag: "button", Text: fmt.Sprintf("%x", sha256.Sum256([]byte{byte(i)})), Around: fmt.Sprintf("%x", sha512.Sum512([]byte{byte(i)}))}}})
	}
	text, kept := s.hiddenLine()
	with := 0
	for _, e := range kept.Edits {
		with += len(e.Accepted)
	}
	if len(text) > maxStateText || len(kept.Edits) != 200 || with == 0 || with == 200 || len(kept.Edits[0].Accepted) == 0 {
		t.Errorf("%d bytes, %d edits, %d elements", len(text), len(kept.Edits), with)
	}
	if len(s.Edits[199].Accepted) != 1 {
		t.Error("the state that is written down lost what it holds")
	}
}

func pack(text string) string {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, 9)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return marker("e2e") + "\n" + stateStart + base64.StdEncoding.EncodeToString(b.Bytes()) + markerEnd + "\n"
}

func TestAStateThatIsNoneIsNotRead(t *testing.T) {
	const head = `{"head":"1111111111111111111111111111111111111111"`
	const good = `,"offers":[{"id":"0000ffff","path":"a.ts","blob":"2222222222222222222222222222222222222222","line":1,"start":0,"old":"'a'","new":"'b'","test":"t"}]}`
	if _, ok := ParseState(pack(head + good)); !ok {
		t.Fatal("a good one is not read")
	}
	whole := pack(head + good)
	for name, text := range map[string]string{
		"empty":             "",
		"no marker":         strings.Replace(whole, "breadcrumb:comment", "x", 1),
		"on another line":   strings.Replace(whole, "\n", "\n\n", 1),
		"not base64":        strings.Replace(whole, markerEnd+"\n"+stateStart, markerEnd+"\n"+stateStart+"!", 1),
		"no end":            strings.TrimSuffix(whole, markerEnd+"\n"),
		"no json":           pack("x"),
		"no head":           pack(`{}`),
		"a short head":      pack(`{"head":"123"}`),
		"a path outside":    pack(head + strings.Replace(good, "a.ts", "../a.ts", 1)),
		"an absolute path":  pack(head + strings.Replace(good, "a.ts", "/a.ts", 1)),
		"an id of markup":   pack(head + strings.Replace(good, "0000ffff", "<b>", 1)),
		"a negative start":  pack(head + strings.Replace(good, `"start":0`, `"start":-1`, 1)),
		"line 0":            pack(head + strings.Replace(good, `"line":1`, `"line":0`, 1)),
		"a blob of nothing": pack(head + strings.Replace(good, strings.Repeat("2", 40), "", 1)),
		"ignored markup":    pack(head + `,"ignored":["x"]}`),
		"too many":          pack(head + `,"ignored":[` + strings.Repeat(`"0000ffff",`, maxStateItems) + `"0000ffff"]}`),
		"a bomb":            pack(head + `,"x":"` + strings.Repeat("x", 4*maxStateBytes) + `"}`),
	} {
		if s, ok := ParseState(text); ok {
			t.Errorf("%s: read as %+v", name, s)
		}
	}
}

func TestACommentGoesOnWithAnotherState(t *testing.T) {
	run := withSuggestions(healsRun())
	before := NewState(run, nil, nil)
	text := Render(run, Options{Key: "e2e", State: &before})
	after := before
	after.Head = strings.Repeat("9", 40)
	after.Edits = before.Edits[1:]
	got := WithState(text, after, []string{before.Edits[0].ID})
	state, ok := ParseState(got)
	if !ok || cmp.Diff(after, state) != "" {
		t.Errorf("state %+v", state)
	}
	if strings.Contains(got, "- [ ] apply `"+before.Edits[0].ID) || !strings.Contains(got, "- [x] ~~apply `"+before.Edits[0].ID) ||
		!strings.Contains(got, "- [ ] apply `"+before.Edits[1].ID) {
		t.Error(got)
	}
	if ticked := NewlyTicked(text, got); ticked != nil {
		t.Errorf("our own tick counts: %q", ticked)
	}
	after.Edits = nil
	if got := WithState(text, after, nil); strings.Contains(got, "- [ ]") {
		t.Error("boxes of what is no longer offered are still there")
	}
}

func FuzzParseState(f *testing.F) {
	run := withSuggestions(healsRun())
	f.Add(body(NewState(run, nil, []string{"0000ffff"})))
	f.Fuzz(func(t *testing.T, text string) {
		s, ok := ParseState(text)
		if !ok {
			return
		}
		line, kept := s.hiddenLine()
		if strings.Contains(strings.TrimSuffix(line, markerEnd), "-->") || strings.Contains(line, "\n") {
			t.Error("the hidden line ends early")
		}
		again, ok := ParseState(marker("e2e") + "\n" + line + "\n")
		if !ok || kept.packText() != again.packText() {
			t.Errorf("not read back: %+v", kept)
		}
		for _, o := range s.Edits {
			if !isRepositoryPath(o.Path) {
				t.Errorf("path %q", o.Path)
			}
		}
		WithState(text, s, nil)
	})
}

func TestAStateSaysWhereEachEditWasOfferedLast(t *testing.T) {
	run := withSuggestions(healsRun())
	first := NewState(run, nil, nil)
	first.RememberOffered([]OfferedAt{{first.Edits[1].ID, strings.Repeat("0", 40)}, {"0000aaaa", strings.Repeat("0", 40)}})
	want := []OfferedAt{{"0000aaaa", strings.Repeat("0", 40)}, {first.Edits[0].ID, first.Head}, {first.Edits[1].ID, first.Head}}
	read, ok := ParseState(body(first))
	if diff := cmp.Diff(want, read.Offered); diff != "" || !ok {
		t.Errorf("%v %s", ok, diff)
	}
	run.Edits, run.Unedited = nil, nil
	after := NewState(run, nil, []string{"0000aaaa"}) // a person said no to it
	after.RememberOffered(read.Offered)
	after.Ignore(first.Edits[0].ID)
	if diff := cmp.Diff(want[2:], after.Offered); diff != "" {
		t.Error(diff)
	}
	if read, ok = ParseState(body(after)); !ok || len(read.Offered) != 1 {
		t.Errorf("nothing else to remember: %v %+v", ok, read)
	}
	read.Offered[0].Head = "main"
	if _, ok := ParseState(body(read)); ok {
		t.Error("a branch counts as a commit")
	}
}
