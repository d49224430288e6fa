package cli_test

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
)

// reportShape is a report that is built to be expensive to read.
type reportShape struct {
	Name  string // also fit for a file's name
	Green bool   // a whole report in which no test fails
	write func(w *bufio.Writer)
}

// Write writes the report to w as UTF-8.
func (s reportShape) Write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 64<<10)
	s.write(out)
	return out.Flush()
}

// WriteUTF16 writes the report as UTF-16 with a byte order mark.
func (s reportShape) WriteUTF16(w io.Writer) error {
	out := bufio.NewWriterSize(w, 64<<10)
	if _, err := out.WriteString("\xff\xfe"); err != nil {
		return err
	}
	wide := &wideWriter{out: out}
	if err := s.Write(wide); err != nil {
		return err
	}
	return out.Flush()
}

// wideWriter converts UTF-8 into UTF-16LE.
type wideWriter struct {
	out  *bufio.Writer
	rest []byte
}

func (w *wideWriter) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	whole := len(text)
	for whole > 0 && whole > len(text)-3 && text[whole-1] >= 0x80 {
		whole--
	}
	for _, unit := range utf16.Encode([]rune(string(text[:whole]))) {
		if _, err := w.out.Write([]byte{byte(unit), byte(unit >> 8)}); err != nil {
			return 0, err
		}
	}
	w.rest = append([]byte(nil), text[whole:]...)
	return len(p), nil
}

// hostileShapes returns reports of about 7 to 40 MB that are expensive to read, in
// XML and in the other formats. Each is made while it is written, so that making
// one costs no memory.
func hostileShapes() []reportShape {
	return slices.Concat(manyShapes(), longShapes(), brokenShapes(), playwrightShapes(), ctrfShapes(), tapShapes(), goShapes())
}

// text returns about n bytes of a line repeated.
func text(line string, n int) string { return strings.Repeat(line, n/len(line)+1) }

const suiteEnd = "</testsuite></testsuites>"

// inSuite writes body between the tags of one suite.
func inSuite(body func(w *bufio.Writer)) func(w *bufio.Writer) {
	return func(w *bufio.Writer) {
		write(w, `<testsuites><testsuite name="s">`)
		body(w)
		write(w, suiteEnd)
	}
}

// write writes text; Flush returns the error.
func write(w *bufio.Writer, text string) { _, _ = w.WriteString(text) }

// numbered writes format n times with the number of each.
func numbered(n int, format string) func(w *bufio.Writer) {
	return func(w *bufio.Writer) {
		for i := range n {
			fmt.Fprintf(w, format, i)
		}
	}
}

// repeat writes one text n times.
func repeat(n int, s string) func(w *bufio.Writer) {
	return func(w *bufio.Writer) {
		for range n {
			write(w, s)
		}
	}
}

// sequence writes one after the other.
func sequence(parts ...func(w *bufio.Writer)) func(w *bufio.Writer) {
	return func(w *bufio.Writer) {
		for _, part := range parts {
			part(w)
		}
	}
}

const (
	stackLine = "    at com.acme.shop.Cart.add(Cart.java:12)\n"
	jsLine    = "    at /home/runner/work/shop/shop/tests/a.spec.ts:12:45\n"
)

// manyShapes hold very many small things.
func manyShapes() []reportShape {
	return []reportShape{
		{Name: "many-failures", write: inSuite(numbered(200_000, `<testcase name="test number %d" classname="com.acme.CartTest"><failure message="expected 1 but was 2">`+text(stackLine, 100)+`</failure></testcase>`))},
		{Name: "many-failures-own-class", write: inSuite(func(w *bufio.Writer) {
			for i := range 150_000 {
				fmt.Fprintf(w, `<testcase name="t%[1]d" classname="com.acme.p%[1]d.Cart%[1]dTest" file="src/p%[1]d/Cart.java"><error type="E%[1]d">boom %[1]d</error></testcase>`, i)
			}
		})},
		{Name: "long-failures", write: inSuite(numbered(600, `<testcase name="t%d" classname="c"><failure message="m">`+text(jsLine, 60_000)+`</failure></testcase>`))},
		{Name: "tests-in-one-suite", Green: true, write: inSuite(numbered(250_000, `<testcase name="does the thing number %d as it should" classname="com.acme.CartTest" time="0.001"/>`))},
		{Name: "too-many-tests", write: inSuite(numbered(900_000, `<testcase name="t%d"/>`))},
		{Name: "own-suites", Green: true, write: sequence(repeat(1, "<testsuites>"), numbered(99_000, `<testsuite name="suite %d" hostname="h" file="a/b.js"><testcase name="a" classname="c"/></testsuite>`), repeat(1, "</testsuites>"))},
		{Name: "suites-nested-long", write: sequence(repeat(60, `<testsuite name="`+text("q", 60)+`">`), numbered(99_000, `<testsuite name="s%d"><testcase name="a"/></testsuite>`))},
		{Name: "properties", Green: true, write: inSuite(func(w *bufio.Writer) {
			for i := range 6_000 {
				fmt.Fprintf(w, `<testcase name="t%d" classname="c"><properties>`, i)
				for j := range 64 {
					fmt.Fprintf(w, `<property name="property %d" value="value %d"/>`, j, i)
				}
				write(w, "</properties></testcase>")
			}
		})},
		{Name: "one-property-a-test", Green: true, write: inSuite(numbered(200_000, `<testcase name="t%[1]d" classname="c"><properties><property name="id" value="%[1]d"/></properties></testcase>`))},
		{Name: "attempts-of-one-test", write: inSuite(numbered(200_000, `<testcase name="a" classname="c"><failure message="m %d">text</failure></testcase>`))},
		{Name: "attempts-of-each-test", write: inSuite(func(w *bufio.Writer) {
			for i := range 3_000 {
				fmt.Fprintf(w, `<testcase name="t%d" classname="c"><failure message="f">x</failure>`, i)
				for j := range 99 {
					fmt.Fprintf(w, `<rerunFailure message="again %d" type="T">x</rerunFailure>`, j)
				}
				write(w, "</testcase>")
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
			write(w, `<testcase name="x"><failure/></testcase>`)
		})},
		{Name: "skipped-with-reasons", Green: true, write: inSuite(numbered(200_000, `<testcase name="t%[1]d" classname="c"><skipped message="not on this machine, see ticket %[1]d"/></testcase>`))},
		{Name: "attachments", Green: true, write: inSuite(numbered(150_000, `<testcase name="t%[1]d" classname="c"><system-out>[[ATTACHMENT|out/%[1]d/trace.zip]]
[[ATTACHMENT|out/%[1]d/video.webm]]</system-out></testcase>`))},
		{Name: "nested-cases", write: inSuite(func(w *bufio.Writer) {
			for i := range 4_000 {
				for j := range 60 {
					fmt.Fprintf(w, `<testcase name="t%d" classname="c%d"><failure/>`, i, j)
				}
				repeat(60, "</testcase>")(w)
			}
		})},
		{Name: "empty-elements", Green: true, write: inSuite(sequence(repeat(2_000_000, "<x/>"), repeat(1, `<testcase name="a"/>`)))},
	}
}

// longShapes hold single things that are very long.
func longShapes() []reportShape {
	return []reportShape{
		{Name: "huge-attribute", write: sequence(repeat(1, `<testsuite name="`), repeat(600_000, text("x", 50)))},
		{Name: "huge-attributes-of-tests", Green: true, write: inSuite(numbered(800, `<testcase name="%d`+text("n", 40_000)+`" classname="c"/>`))},
		{Name: "long-names", write: inSuite(numbered(100_000, `<testcase name="%d `+text("n", 300)+`" classname="c"/>`))},
		{Name: "million-attributes", write: inSuite(sequence(repeat(1, `<testcase name="a" `), repeat(2_500_000, `a="b" `), repeat(1, "/>"), repeat(1, `<testcase name="b"><failure/></testcase>`)))},
		{Name: "long-cdata", Green: true, write: inSuite(sequence(repeat(1, `<testcase name="a"><system-out><![CDATA[`), repeat(300_000, text("log line of what was printed <b>&amp;\n", 99)), repeat(1, "]]></system-out></testcase>")))},
		{Name: "long-failure", write: inSuite(sequence(repeat(1, `<testcase name="a"><failure><![CDATA[`), repeat(300_000, text(jsLine, 99)), repeat(1, "]]></failure></testcase>")))},
		{Name: "cdata-sections", write: inSuite(sequence(repeat(1, `<testcase name="a"><failure>x`), repeat(2_000_000, "<![CDATA[]]>"), repeat(1, "</failure></testcase>")))},
		{Name: "comments", Green: true, write: inSuite(sequence(repeat(2_000_000, "<!-- c -->"), repeat(1, `<testcase name="a"/>`)))},
		{Name: "ampersands", write: inSuite(sequence(repeat(1, `<testcase name="a"><failure>`), repeat(20_000_000, "&"), repeat(1, "</failure></testcase>")))},
		{Name: "entities", write: inSuite(sequence(repeat(1, `<testcase name="a"><failure message="`), repeat(2_000_000, "&lol9;&#x41;"), repeat(1, `"/></testcase>`)))},
		{Name: "entities-of-tests", write: inSuite(numbered(400, `<testcase name="t%d"><failure message="`+text("&#x4e00;&lt;", 60_000)+`"/></testcase>`))},
		{Name: "frames-of-failures", write: inSuite(numbered(5_000, `<testcase name="x%d" classname="com.a.B"><failure>`+text("com.a.B.c(D.java:12 x:1 ", 4_000)+`</failure></testcase>`))},
		{Name: "colours", write: inSuite(numbered(5_000, `<testcase name="x%d"><failure>`+text("\x1b[31mred\x1b[39m &#27;[0m ", 4_000)+`</failure></testcase>`))},
	}
}

// brokenShapes are not well-formed XML.
func brokenShapes() []reportShape {
	return []reportShape{
		{Name: "deep-nesting", write: sequence(repeat(1, `<testsuite name="s"><testcase name="a">`), repeat(5_000_000, "<b>"))},
		{Name: "stray-end-tags", write: inSuite(sequence(repeat(4_000_000, "</x>"), repeat(1, `<testcase name="a"><failure/></testcase>`)))},
		{Name: "unclosed-tests", write: sequence(repeat(1, "<testsuite>"), numbered(500_000, `<testcase name="t%d"><failure>x</failure>`))},
		{Name: "unclosed-elements", write: inSuite(numbered(300_000, `<testcase name="t%d"><failure><a><b><c></testcase>`))},
		{Name: "truncated", write: sequence(repeat(1, "<testsuites><testsuite>"), numbered(200_000, `<testcase name="test %d" classname="com.acme.CartTest"><failure message="m">x</failure></testcase>`), repeat(1, `<testcase name="z"><fail`))},
		{Name: "less-than-signs", write: inSuite(sequence(repeat(10_000_000, "< "), repeat(1, `<testcase name="a"><failure/></testcase>`)))},
		{Name: "quotes", write: inSuite(sequence(repeat(1, "<testcase "), repeat(15_000_000, `"`), repeat(1, ">")))},
		{Name: "unclosed-comment", write: sequence(repeat(1, "<testsuite><!--"), repeat(20_000_000, "-"))},
		{Name: "control-characters", write: inSuite(sequence(repeat(1, `<testcase name="a"><failure>`), repeat(10_000_000, "\x01"), repeat(1, "</failure></testcase>")))},
		{Name: "illegal-bytes", write: inSuite(sequence(repeat(1, `<testcase name="a"><failure>`), repeat(10_000_000, "\xff"), repeat(1, "</failure></testcase>")))},
	}
}

const (
	playwrightHead = `{"config":{"rootDir":"/w/tests"},"suites":[`
	playwrightTail = `],"errors":[],"stats":{}}`
)

// playwrightFiles writes test files with a number of specs each, all with one result.
func playwrightFiles(files, specs int, result string) func(w *bufio.Writer) {
	return func(w *bufio.Writer) {
		write(w, playwrightHead)
		for i := range files {
			fmt.Fprintf(w, `%s{"title":"f%[2]d.spec.ts","file":"f%[2]d.spec.ts","specs":[`, commaBefore(i), i)
			for j := range specs {
				fmt.Fprintf(w, `%s{"title":"does the thing number %d","file":"f%d.spec.ts","line":3,"tests":[%s]}`, commaBefore(j), j, i, result)
			}
			write(w, "]}")
		}
		write(w, playwrightTail)
	}
}

func commaBefore(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

const (
	passedTest = `{"projectName":"chromium","expectedStatus":"passed","status":"expected","results":[{"status":"passed","duration":5}]}`
	failedTest = `{"projectName":"chromium","expectedStatus":"passed","status":"unexpected","results":[{"status":"failed","duration":5,"errors":[{"message":"%s","stack":"%s"}]}]}`
)

func playwrightShapes() []reportShape {
	short := fmt.Sprintf(failedTest, "Error: no", "Error: no\\n"+text(`    at /w/tests/f.spec.ts:3:4\n`, 60))
	long := fmt.Sprintf(failedTest, "Error: no", text(`    at /w/tests/f.spec.ts:3:4\n`, 20_000))
	attempt := `{"status":"failed","duration":5,"error":{"message":"no"}},`
	return []reportShape{
		{Name: "playwright-one-file", Green: true, write: playwrightFiles(1, 120_000, passedTest)},
		{Name: "playwright-one-file-failing", write: playwrightFiles(1, 100_000, short)},
		{Name: "playwright-failures", write: playwrightFiles(1_000, 100, short)},
		{Name: "playwright-long-failures", write: playwrightFiles(100, 15, long)},
		{Name: "playwright-one-spec", write: func(w *bufio.Writer) {
			write(w, playwrightHead+`{"title":"a.spec.ts","specs":[{"title":"t","tests":[`)
			for i := range 300_000 {
				fmt.Fprintf(w, `%s{"projectName":"p%d","expectedStatus":"passed","status":"expected","results":[{"status":"passed"}]}`, commaBefore(i), i)
			}
			write(w, "]}]}"+playwrightTail)
		}},
		{Name: "playwright-attempts", write: func(w *bufio.Writer) {
			write(w, playwrightHead+`{"title":"a.spec.ts","specs":[{"title":"t","tests":[{"status":"unexpected","results":[`)
			repeat(300_000, attempt)(w)
			write(w, `{"status":"failed"}]}]}]}`+playwrightTail)
		}},
		{Name: "playwright-nested-suites", write: func(w *bufio.Writer) {
			write(w, playwrightHead)
			repeat(300_000, `{"title":"a","suites":[`)(w)
		}},
		{Name: "playwright-empty-suites", write: func(w *bufio.Writer) {
			write(w, playwrightHead)
			repeat(500_000, `{"title":"a.spec.ts","suites":[]},`)(w)
			write(w, "{}"+playwrightTail)
		}},
		{Name: "playwright-errors", write: func(w *bufio.Writer) {
			write(w, `{"config":{"rootDir":"/w"},"suites":[],"errors":[`)
			repeat(500_000, `{"message":"Error: cannot load","stack":"at a.ts:1:1"},`)(w)
			write(w, "{}]}")
		}},
		{Name: "playwright-attachments", Green: true, write: playwrightFiles(500, 100,
			`{"projectName":"c","expectedStatus":"passed","status":"expected","results":[{"status":"passed","attachments":[`+text(`{"name":"a","path":"out/a.png"},`, 400)+`{}]}]}`)},
		{Name: "json-giant-string", write: sequence(repeat(1, `{"config":{"rootDir":"/w"},"suites":[{"title":"`), repeat(400_000, text("s", 50)))},
		{Name: "json-giant-key", write: sequence(repeat(1, `{"config":{"rootDir":"/w"},"`), repeat(400_000, text("s", 50)))},
		{Name: "json-escapes", write: sequence(repeat(1, `{"config":{"rootDir":"/w"},"suites":[{"title":"`), repeat(3_000_000, `\u00e9`))},
		{Name: "json-nesting", write: sequence(repeat(1, `{"config":{"rootDir":"/w"},"x":`), repeat(20_000_000, "["))},
		{Name: "json-numbers", write: sequence(repeat(1, `{"config":{"rootDir":"/w"},"x":[`), repeat(8_000_000, "1,"), repeat(1, "1]}"))},
	}
}

func ctrfShapes() []reportShape {
	list := func(n int, test string) func(w *bufio.Writer) {
		return func(w *bufio.Writer) {
			write(w, `{"results":{"tool":{"name":"jest"},"summary":{},"tests":[`)
			for i := range n {
				fmt.Fprintf(w, commaBefore(i)+test, i)
			}
			write(w, "]}}")
		}
	}
	return []reportShape{
		{Name: "ctrf-tests", Green: true, write: list(240_000, `{"name":"does the thing number %d","suite":["cart"],"filePath":"src/a.test.js","status":"passed","duration":3}`)},
		{Name: "ctrf-failures", write: list(150_000, `{"name":"t %d","status":"failed","duration":3,"message":"expected 1","trace":"`+text(`at a.test.js:3:4\n`, 60)+`"}`)},
		{Name: "ctrf-own-suites", write: list(150_000, `{"name":"t","suite":["suite %d"],"status":"failed","message":"no"}`)},
		{Name: "ctrf-retries", write: list(3_000, `{"name":"t %d","status":"failed","retries":99,"retryAttempts":[`+text(`{"status":"failed","message":"no"},`, 3_000)+`{}]}`)},
	}
}

func tapShapes() []reportShape {
	nested := func(n, depth int) func(w *bufio.Writer) {
		return func(w *bufio.Writer) {
			write(w, "TAP version 14\n")
			for i := range n {
				fmt.Fprintf(w, "%*sok %d - subtest number %d\n", depth*4, "", i+1, i)
			}
		}
	}
	return []reportShape{
		{Name: "tap-points", Green: true, write: sequence(repeat(1, "TAP version 13\n1..249000\n"), numbered(249_000, "ok - does the thing number %d as it should\n"))},
		{Name: "tap-failures", write: sequence(repeat(1, "TAP version 13\n1..150000\n"), numbered(150_000, "not ok - t %d\n  ---\n  message: 'no'\n  at: 'a.js:1:2'\n  ...\n"))},
		{Name: "tap-subtests", write: nested(240_000, 1)},
		{Name: "tap-deep", write: nested(100_000, 60)},
		{Name: "tap-failing-subtests", write: sequence(repeat(1, "TAP version 14\n"), numbered(200_000, "    not ok - t %d\n    # text of a failure that is kept\n"))},
		{Name: "tap-comments", write: sequence(repeat(1, "TAP version 13\nnot ok 1 - a\n"), repeat(500_000, "# what the test printed\n"), repeat(1, "1..1\n"))},
		{Name: "tap-yaml", write: sequence(repeat(1, "TAP version 13\nnot ok 1 - a\n  ---\n"), repeat(800_000, "  key: value of it\n"))},
		{Name: "tap-long-line", write: sequence(repeat(1, "TAP version 13\nok 1 - "), repeat(400_000, text("x", 50)))},
		{Name: "tap-plans", write: sequence(repeat(1, "TAP version 13\n"), repeat(3_000_000, "1..1\n"))},
	}
}

func goShapes() []reportShape {
	const event = `{"Time":"2026-01-02T03:04:05Z","Action":"%s","Package":"p","Test":"%s","Elapsed":0.1}` + "\n"
	return []reportShape{
		{Name: "go-running", write: numbered(200_000, `{"Action":"run","Package":"p","Test":"Test%d"}`+"\n")},
		{Name: "go-output", write: sequence(repeat(1, fmt.Sprintf(event, "run", "TestA")), repeat(300_000, `{"Action":"output","Package":"p","Test":"TestA","Output":"a line that was printed\n"}`+"\n"))},
		{Name: "go-output-of-each", write: numbered(200_000, `{"Action":"output","Package":"p","Test":"Test%d","Output":"a line that was printed by the test and is kept until it ends\n"}`+"\n")},
		{Name: "go-failures", write: func(w *bufio.Writer) {
			for i := range 100_000 {
				fmt.Fprintf(w, `{"Action":"run","Package":"p","Test":"Test%[1]d"}
{"Action":"output","Package":"p","Test":"Test%[1]d","Output":"    a_test.go:3: no\n"}
{"Action":"fail","Package":"p","Test":"Test%[1]d","Elapsed":0.1}
`, i)
			}
			write(w, `{"Action":"fail","Package":"p"}`+"\n")
		}},
		{Name: "go-packages", write: numbered(99_000, `{"Action":"start","Package":"example.com/p%d"}`+"\n")},
		{Name: "go-failing-packages", write: numbered(99_000, `{"Action":"start","Package":"example.com/p%[1]d"}`+"\n"+`{"Action":"output","Package":"example.com/p%[1]d","Output":"panic: no\n"}`+"\n"+`{"Action":"fail","Package":"example.com/p%[1]d"}`+"\n")},
		{Name: "go-builds", write: numbered(200_000, `{"ImportPath":"example.com/p%d","Action":"build-output","Output":"a.go:3:4: undefined: x and more of what a compiler says\n"}`+"\n")},
		{Name: "go-other-lines", write: sequence(repeat(1, fmt.Sprintf(event, "run", "TestA")), repeat(1_000_000, "what is no event\n"))},
	}
}
