package trace

import (
	"fmt"
	"strings"
	"testing"
)

// largeTrace is a trace of 20 clicks on a page of 5,000 elements, each of which
// changes a status. What did not change is referred to, as Playwright does.
func largeTrace(tb testing.TB) []byte {
	tb.Helper()
	const rows, table = 1000, 2 + 8*1000
	var first, events strings.Builder
	first.WriteString(`["HTML",{},["BODY",{},["P",{"role":"status"},"none"],["TABLE",{"class":"orders wide"}`)
	for i := range rows {
		fmt.Fprintf(&first, `,["TR",{"id":"row-%[1]d","class":"row line"},["TD",{},"Order %[1]d of the harbour"],["TD",{"class":"total"},"$%[2]d"],["TD",{},["BUTTON",{"id":"view-%[1]d"},"View %[1]d"]]]`, i, i*37%900)
	}
	first.WriteString(`]]]`)
	status := func(n int) string { return fmt.Sprintf(`["P",{"role":"status"},"viewed %d"]`, n) }
	events.WriteString(newest + click("call@0", "#none", first.String(), `[[1,8004]]`, true))
	for n := 1; n <= 20; n++ {
		back, row := 3*n-1, n*41
		before := fmt.Sprintf(`["HTML",{},["BODY",{},%s,[[%d,%d]]]]`, status(n-1), back, table)
		var action strings.Builder
		fmt.Fprintf(&action, `["HTML",{},["BODY",{},[[1,1]],["TABLE",{"class":"orders wide"}`)
		for i := range rows {
			at := 2 + 8*i
			if i != row {
				fmt.Fprintf(&action, `,[[%d,%d]]`, back+1, at+7)
				continue
			}
			fmt.Fprintf(&action, `,["TR",{"id":"row-%[3]d","class":"row line"},[[%[1]d,%[2]d]],[[%[1]d,%[4]d]],["TD",{},["BUTTON",{"__playwright_target__":"","id":"view-%[3]d"},[[%[1]d,%[5]d]]]]]`,
				back+1, at+1, i, at+3, at+4)
		}
		action.WriteString(`]]]`)
		after := fmt.Sprintf(`["HTML",{},["BODY",{},%s,[[%d,%d]]]]`, status(n), back+2, table)
		one := click(fmt.Sprintf("call@%d", n), fmt.Sprintf("#view-%d", row), before, after, false)
		marked := fmt.Sprintf(`{"type":"frame-snapshot","snapshot":{"callId":"call@%d","phase":"action","pageId":"p","frameId":"f","frameUrl":"http://shop/","html":%s,"isMainFrame":true}}`, n, action.String())
		events.WriteString(strings.Replace(one, `{"type":"after"`, marked+"\n"+`{"type":"after"`, 1))
	}
	return pack(tb, file{"1-trace.trace", events.String()})
}

// recoverAll reads a trace and every element that its calls acted on.
func recoverAll(tb testing.TB, data []byte, keep bool) {
	tb.Helper()
	trace, err := read(data)
	if err != nil {
		tb.Fatal(err)
	}
	for _, c := range trace.Calls[1:] {
		id := strings.TrimPrefix(c.Selector, "#")
		if keep {
			l, ok := c.Target()
			if got, _ := l.Fingerprint.Attributes.Get("id"); !ok || got != id {
				tb.Fatalf("%s: got %q", c.Selector, got)
			}
			continue
		}
		s, at := c.markedTarget()
		if s == nil {
			tb.Fatalf("%s: no target", c.Selector)
		}
		if got, _ := s.readTree().at(at).attribute("id"); got != id {
			tb.Fatalf("%s: got %q", c.Selector, got)
		}
	}
}

func BenchmarkTargetsOf20ClicksOn5000Elements(b *testing.B) {
	data := largeTrace(b)
	b.ReportMetric(float64(len(data))/1e6, "MB")
	for b.Loop() {
		recoverAll(b, data, false)
	}
}

func BenchmarkLearn20ClicksOn5000Elements(b *testing.B) {
	data := largeTrace(b)
	for b.Loop() {
		recoverAll(b, data, true)
	}
}

func TestEveryElementOfALargePageIsRecovered(t *testing.T) {
	recoverAll(t, largeTrace(t), false)
	recoverAll(t, largeTrace(t), true)
}
