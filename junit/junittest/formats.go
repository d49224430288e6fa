package junittest

import (
	"bufio"
	"fmt"
)

func otherShapes() []Shape {
	return append(playwrightShapes(), append(ctrfShapes(), append(tapShapes(), goShapes()...)...)...)
}

const (
	playwrightHead = `{"config":{"rootDir":"/w/tests"},"suites":[`
	playwrightTail = `],"errors":[],"stats":{}}`
)

// playwrightFiles writes files test files with specs specs each, every one of
// which is result.
func playwrightFiles(files, specs int, result string) func(w *bufio.Writer) {
	return func(w *bufio.Writer) {
		put(w, playwrightHead)
		for i := range files {
			fmt.Fprintf(w, `%s{"title":"f%[2]d.spec.ts","file":"f%[2]d.spec.ts","specs":[`, comma(i), i)
			for j := range specs {
				fmt.Fprintf(w, `%s{"title":"does the thing number %d","file":"f%d.spec.ts","line":3,"tests":[%s]}`, comma(j), j, i, result)
			}
			put(w, "]}")
		}
		put(w, playwrightTail)
	}
}

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

const (
	passedTest = `{"projectName":"chromium","expectedStatus":"passed","status":"expected","results":[{"status":"passed","duration":5}]}`
	failedTest = `{"projectName":"chromium","expectedStatus":"passed","status":"unexpected","results":[{"status":"failed","duration":5,"errors":[{"message":"%s","stack":"%s"}]}]}`
)

func playwrightShapes() []Shape {
	short := fmt.Sprintf(failedTest, "Error: no", "Error: no\\n"+text(`    at /w/tests/f.spec.ts:3:4\n`, 60))
	long := fmt.Sprintf(failedTest, "Error: no", text(`    at /w/tests/f.spec.ts:3:4\n`, 20_000))
	attempt := `{"status":"failed","duration":5,"error":{"message":"no"}},`
	return []Shape{
		{Name: "playwright-one-file", Green: true, write: playwrightFiles(1, 120_000, passedTest)},
		{Name: "playwright-one-file-failing", write: playwrightFiles(1, 100_000, short)},
		{Name: "playwright-failures", write: playwrightFiles(1_000, 100, short)},
		{Name: "playwright-long-failures", write: playwrightFiles(100, 15, long)},
		{Name: "playwright-one-spec", write: func(w *bufio.Writer) {
			put(w, playwrightHead+`{"title":"a.spec.ts","specs":[{"title":"t","tests":[`)
			for i := range 300_000 {
				fmt.Fprintf(w, `%s{"projectName":"p%d","expectedStatus":"passed","status":"expected","results":[{"status":"passed"}]}`, comma(i), i)
			}
			put(w, "]}]}"+playwrightTail)
		}},
		{Name: "playwright-attempts", write: func(w *bufio.Writer) {
			put(w, playwrightHead+`{"title":"a.spec.ts","specs":[{"title":"t","tests":[{"status":"unexpected","results":[`)
			again(300_000, attempt)(w)
			put(w, `{"status":"failed"}]}]}]}`+playwrightTail)
		}},
		{Name: "playwright-nested-suites", write: func(w *bufio.Writer) {
			put(w, playwrightHead)
			again(300_000, `{"title":"a","suites":[`)(w)
		}},
		{Name: "playwright-empty-suites", write: func(w *bufio.Writer) {
			put(w, playwrightHead)
			again(500_000, `{"title":"a.spec.ts","suites":[]},`)(w)
			put(w, "{}"+playwrightTail)
		}},
		{Name: "playwright-errors", write: func(w *bufio.Writer) {
			put(w, `{"config":{"rootDir":"/w"},"suites":[],"errors":[`)
			again(500_000, `{"message":"Error: cannot load","stack":"at a.ts:1:1"},`)(w)
			put(w, "{}]}")
		}},
		{Name: "playwright-attachments", Green: true, write: playwrightFiles(500, 100,
			`{"projectName":"c","expectedStatus":"passed","status":"expected","results":[{"status":"passed","attachments":[`+text(`{"name":"a","path":"out/a.png"},`, 400)+`{}]}]}`)},
		{Name: "json-giant-string", write: all(again(1, `{"config":{"rootDir":"/w"},"suites":[{"title":"`), again(400_000, text("s", 50)))},
		{Name: "json-giant-key", write: all(again(1, `{"config":{"rootDir":"/w"},"`), again(400_000, text("s", 50)))},
		{Name: "json-escapes", write: all(again(1, `{"config":{"rootDir":"/w"},"suites":[{"title":"`), again(3_000_000, `\u00e9`))},
		{Name: "json-nesting", write: all(again(1, `{"config":{"rootDir":"/w"},"x":`), again(20_000_000, "["))},
		{Name: "json-numbers", write: all(again(1, `{"config":{"rootDir":"/w"},"x":[`), again(8_000_000, "1,"), again(1, "1]}"))},
	}
}

func ctrfShapes() []Shape {
	list := func(n int, test string) func(w *bufio.Writer) {
		return func(w *bufio.Writer) {
			put(w, `{"results":{"tool":{"name":"jest"},"summary":{},"tests":[`)
			for i := range n {
				fmt.Fprintf(w, comma(i)+test, i)
			}
			put(w, "]}}")
		}
	}
	return []Shape{
		{Name: "ctrf-tests", Green: true, write: list(240_000, `{"name":"does the thing number %d","suite":["cart"],"filePath":"src/a.test.js","status":"passed","duration":3}`)},
		{Name: "ctrf-failures", write: list(150_000, `{"name":"t %d","status":"failed","duration":3,"message":"expected 1","trace":"`+text(`at a.test.js:3:4\n`, 60)+`"}`)},
		{Name: "ctrf-own-suites", write: list(150_000, `{"name":"t","suite":["suite %d"],"status":"failed","message":"no"}`)},
		{Name: "ctrf-retries", write: list(3_000, `{"name":"t %d","status":"failed","retries":99,"retryAttempts":[`+text(`{"status":"failed","message":"no"},`, 3_000)+`{}]}`)},
	}
}

func tapShapes() []Shape {
	nested := func(n, depth int) func(w *bufio.Writer) {
		return func(w *bufio.Writer) {
			put(w, "TAP version 14\n")
			for i := range n {
				fmt.Fprintf(w, "%*sok %d - subtest number %d\n", depth*4, "", i+1, i)
			}
		}
	}
	return []Shape{
		{Name: "tap-points", Green: true, write: all(again(1, "TAP version 13\n1..249000\n"), times(249_000, "ok - does the thing number %d as it should\n"))},
		{Name: "tap-failures", write: all(again(1, "TAP version 13\n1..150000\n"), times(150_000, "not ok - t %d\n  ---\n  message: 'no'\n  at: 'a.js:1:2'\n  ...\n"))},
		{Name: "tap-subtests", write: nested(240_000, 1)},
		{Name: "tap-deep", write: nested(100_000, 60)},
		{Name: "tap-failing-subtests", write: all(again(1, "TAP version 14\n"), times(200_000, "    not ok - t %d\n    # text of a failure that is kept\n"))},
		{Name: "tap-comments", write: all(again(1, "TAP version 13\nnot ok 1 - a\n"), again(500_000, "# what the test printed\n"), again(1, "1..1\n"))},
		{Name: "tap-yaml", write: all(again(1, "TAP version 13\nnot ok 1 - a\n  ---\n"), again(800_000, "  key: value of it\n"))},
		{Name: "tap-long-line", write: all(again(1, "TAP version 13\nok 1 - "), again(400_000, text("x", 50)))},
		{Name: "tap-plans", write: all(again(1, "TAP version 13\n"), again(3_000_000, "1..1\n"))},
	}
}

func goShapes() []Shape {
	const event = `{"Time":"2026-01-02T03:04:05Z","Action":"%s","Package":"p","Test":"%s","Elapsed":0.1}` + "\n"
	return []Shape{
		{Name: "go-running", write: times(200_000, `{"Action":"run","Package":"p","Test":"Test%d"}`+"\n")},
		{Name: "go-output", write: all(again(1, fmt.Sprintf(event, "run", "TestA")), again(300_000, `{"Action":"output","Package":"p","Test":"TestA","Output":"a line that was printed\n"}`+"\n"))},
		{Name: "go-output-of-each", write: times(200_000, `{"Action":"output","Package":"p","Test":"Test%d","Output":"a line that was printed by the test and is kept until it ends\n"}`+"\n")},
		{Name: "go-failures", write: func(w *bufio.Writer) {
			for i := range 100_000 {
				fmt.Fprintf(w, `{"Action":"run","Package":"p","Test":"Test%[1]d"}
{"Action":"output","Package":"p","Test":"Test%[1]d","Output":"    a_test.go:3: no\n"}
{"Action":"fail","Package":"p","Test":"Test%[1]d","Elapsed":0.1}
`, i)
			}
			put(w, `{"Action":"fail","Package":"p"}`+"\n")
		}},
		{Name: "go-packages", write: times(99_000, `{"Action":"start","Package":"example.com/p%d"}`+"\n")},
		{Name: "go-failing-packages", write: times(99_000, `{"Action":"start","Package":"example.com/p%[1]d"}`+"\n"+`{"Action":"output","Package":"example.com/p%[1]d","Output":"panic: no\n"}`+"\n"+`{"Action":"fail","Package":"example.com/p%[1]d"}`+"\n")},
		{Name: "go-builds", write: times(200_000, `{"ImportPath":"example.com/p%d","Action":"build-output","Output":"a.go:3:4: undefined: x and more of what a compiler says\n"}`+"\n")},
		{Name: "go-other-lines", write: all(again(1, fmt.Sprintf(event, "run", "TestA")), again(1_000_000, "what is no event\n"))},
	}
}
