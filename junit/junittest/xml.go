package junittest

import (
	"bufio"
	"fmt"
)

const (
	stackLine = "    at com.acme.shop.Cart.add(Cart.java:12)\n"
	jsLine    = "    at /home/runner/work/shop/shop/tests/a.spec.ts:12:45\n"
)

func xmlShapes() []Shape {
	return append(manyShapes(), append(longShapes(), brokenShapes()...)...)
}

// manyShapes hold very many small things.
func manyShapes() []Shape {
	return []Shape{
		{Name: "many-failures", write: inSuite(times(200_000, `<testcase name="test number %d" classname="com.acme.CartTest"><failure message="expected 1 but was 2">`+text(stackLine, 100)+`</failure></testcase>`))},
		{Name: "many-failures-own-class", write: inSuite(func(w *bufio.Writer) {
			for i := range 150_000 {
				fmt.Fprintf(w, `<testcase name="t%[1]d" classname="com.acme.p%[1]d.Cart%[1]dTest" file="src/p%[1]d/Cart.java"><error type="E%[1]d">boom %[1]d</error></testcase>`, i)
			}
		})},
		{Name: "long-failures", write: inSuite(times(600, `<testcase name="t%d" classname="c"><failure message="m">`+text(jsLine, 60_000)+`</failure></testcase>`))},
		{Name: "tests-in-one-suite", Green: true, write: inSuite(times(250_000, `<testcase name="does the thing number %d as it should" classname="com.acme.CartTest" time="0.001"/>`))},
		{Name: "too-many-tests", write: inSuite(times(900_000, `<testcase name="t%d"/>`))},
		{Name: "own-suites", Green: true, write: all(again(1, "<testsuites>"), times(99_000, `<testsuite name="suite %d" hostname="h" file="a/b.js"><testcase name="a" classname="c"/></testsuite>`), again(1, "</testsuites>"))},
		{Name: "suites-nested-long", write: all(again(60, `<testsuite name="`+text("q", 60)+`">`), times(99_000, `<testsuite name="s%d"><testcase name="a"/></testsuite>`))},
		{Name: "properties", Green: true, write: inSuite(func(w *bufio.Writer) {
			for i := range 6_000 {
				fmt.Fprintf(w, `<testcase name="t%d" classname="c"><properties>`, i)
				for j := range 64 {
					fmt.Fprintf(w, `<property name="property %d" value="value %d"/>`, j, i)
				}
				put(w, "</properties></testcase>")
			}
		})},
		{Name: "one-property-a-test", Green: true, write: inSuite(times(200_000, `<testcase name="t%[1]d" classname="c"><properties><property name="id" value="%[1]d"/></properties></testcase>`))},
		{Name: "attempts-of-one-test", write: inSuite(times(200_000, `<testcase name="a" classname="c"><failure message="m %d">text</failure></testcase>`))},
		{Name: "attempts-of-each-test", write: inSuite(func(w *bufio.Writer) {
			for i := range 3_000 {
				fmt.Fprintf(w, `<testcase name="t%d" classname="c"><failure message="f">x</failure>`, i)
				for j := range 99 {
					fmt.Fprintf(w, `<rerunFailure message="again %d" type="T">x</rerunFailure>`, j)
				}
				put(w, "</testcase>")
			}
		})},
		{Name: "rows-of-two-names", write: inSuite(func(w *bufio.Writer) {
			for i := range 100_000 {
				fmt.Fprintf(w, `<testcase name="t%[1]d" classname="c"/><testcase name="t%[1]d" classname="c"><failure/></testcase>`, i)
			}
		})},
		{Name: "names-unlike", write: inSuite(func(w *bufio.Writer) {
			for i := range 120_000 {
				fmt.Fprintf(w, `<testcase name="t%[1]d" classname="c"/><testcase name=" t%[1]d" classname=" c"/>`, i)
			}
			put(w, `<testcase name="x"><failure/></testcase>`)
		})},
		{Name: "skipped-with-reasons", Green: true, write: inSuite(times(200_000, `<testcase name="t%[1]d" classname="c"><skipped message="not on this machine, see ticket %[1]d"/></testcase>`))},
		{Name: "attachments", Green: true, write: inSuite(times(150_000, `<testcase name="t%[1]d" classname="c"><system-out>[[ATTACHMENT|out/%[1]d/trace.zip]]
[[ATTACHMENT|out/%[1]d/video.webm]]</system-out></testcase>`))},
		{Name: "nested-cases", write: inSuite(func(w *bufio.Writer) {
			for i := range 4_000 {
				for j := range 60 {
					fmt.Fprintf(w, `<testcase name="t%d" classname="c%d"><failure/>`, i, j)
				}
				again(60, "</testcase>")(w)
			}
		})},
		{Name: "empty-elements", Green: true, write: inSuite(all(again(2_000_000, "<x/>"), again(1, `<testcase name="a"/>`)))},
	}
}

// longShapes hold single things that are very long.
func longShapes() []Shape {
	return []Shape{
		{Name: "huge-attribute", write: all(again(1, `<testsuite name="`), again(600_000, text("x", 50)))},
		{Name: "huge-attributes-of-tests", Green: true, write: inSuite(times(800, `<testcase name="%d`+text("n", 40_000)+`" classname="c"/>`))},
		{Name: "long-names", write: inSuite(times(100_000, `<testcase name="%d `+text("n", 300)+`" classname="c"/>`))},
		{Name: "million-attributes", write: inSuite(all(again(1, `<testcase name="a" `), again(2_500_000, `a="b" `), again(1, "/>"), again(1, `<testcase name="b"><failure/></testcase>`)))},
		{Name: "long-cdata", Green: true, write: inSuite(all(again(1, `<testcase name="a"><system-out><![CDATA[`), again(300_000, text("log line of what was printed <b>&amp;\n", 99)), again(1, "]]></system-out></testcase>")))},
		{Name: "long-failure", write: inSuite(all(again(1, `<testcase name="a"><failure><![CDATA[`), again(300_000, text(jsLine, 99)), again(1, "]]></failure></testcase>")))},
		{Name: "cdata-sections", write: inSuite(all(again(1, `<testcase name="a"><failure>x`), again(2_000_000, "<![CDATA[]]>"), again(1, "</failure></testcase>")))},
		{Name: "comments", Green: true, write: inSuite(all(again(2_000_000, "<!-- c -->"), again(1, `<testcase name="a"/>`)))},
		{Name: "ampersands", write: inSuite(all(again(1, `<testcase name="a"><failure>`), again(20_000_000, "&"), again(1, "</failure></testcase>")))},
		{Name: "entities", write: inSuite(all(again(1, `<testcase name="a"><failure message="`), again(2_000_000, "&lol9;&#x41;"), again(1, `"/></testcase>`)))},
		{Name: "entities-of-tests", write: inSuite(times(400, `<testcase name="t%d"><failure message="`+text("&#x4e00;&lt;", 60_000)+`"/></testcase>`))},
		{Name: "frames-of-failures", write: inSuite(times(5_000, `<testcase name="x%d" classname="com.a.B"><failure>`+text("com.a.B.c(D.java:12 x:1 ", 4_000)+`</failure></testcase>`))},
		{Name: "colours", write: inSuite(times(5_000, `<testcase name="x%d"><failure>`+text("\x1b[31mred\x1b[39m &#27;[0m ", 4_000)+`</failure></testcase>`))},
	}
}

// brokenShapes are no well-formed XML.
func brokenShapes() []Shape {
	return []Shape{
		{Name: "deep-nesting", write: all(again(1, `<testsuite name="s"><testcase name="a">`), again(5_000_000, "<b>"))},
		{Name: "stray-end-tags", write: inSuite(all(again(4_000_000, "</x>"), again(1, `<testcase name="a"><failure/></testcase>`)))},
		{Name: "unclosed-tests", write: all(again(1, "<testsuite>"), times(500_000, `<testcase name="t%d"><failure>x</failure>`))},
		{Name: "unclosed-elements", write: inSuite(times(300_000, `<testcase name="t%d"><failure><a><b><c></testcase>`))},
		{Name: "truncated", write: all(again(1, "<testsuites><testsuite>"), times(200_000, `<testcase name="test %d" classname="com.acme.CartTest"><failure message="m">x</failure></testcase>`), again(1, `<testcase name="z"><fail`))},
		{Name: "less-than-signs", write: inSuite(all(again(10_000_000, "< "), again(1, `<testcase name="a"><failure/></testcase>`)))},
		{Name: "quotes", write: inSuite(all(again(1, "<testcase "), again(15_000_000, `"`), again(1, ">")))},
		{Name: "unclosed-comment", write: all(again(1, "<testsuite><!--"), again(20_000_000, "-"))},
		{Name: "control-characters", write: inSuite(all(again(1, `<testcase name="a"><failure>`), again(10_000_000, "\x01"), again(1, "</failure></testcase>")))},
		{Name: "illegal-bytes", write: inSuite(all(again(1, `<testcase name="a"><failure>`), again(10_000_000, "\xff"), again(1, "</failure></testcase>")))},
	}
}
