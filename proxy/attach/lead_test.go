package attach

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/proxy"
)

// leadScript leads a connection as a worker's Playwright has one. It says what the arguments
// say, "call …" by the tests and "answer …" by Playwright, and prints what both heard: a line
// for each message, with a > before what Playwright heard and a ! where the message is another
// object than the one that was said. "question" is the id of the last question that the worker
// itself asked. "test" says which test runs. A handler of the tests sees nothing of Breadcrumb in its stack.
const leadScript = `
const { lead } = require(process.argv[1]);
const { way, before, says } = JSON.parse(process.argv[2]);
const said = new Set();
let question;
const heard = (mark) => (message) => {
  const bytes = (key, value) => (value?.type === "Buffer" ? "bytes " + value.data : key === "source" ? "the engine" : value);
  if (mark === "<" && /lane|lead/.test(new Error().stack)) console.log(new Error().stack);
  const own = mark === ">" && String(message.id).startsWith("breadcrumb-");
  if (own) question = message.id;
  console.log(mark + (said.has(message) ? " " : "!") + JSON.stringify(own ? { ...message, id: "question" } : message, bytes));
};
const connection = { onmessage: heard(">"), dispatch: heard("<"), _objects: new Map(before.map(([guid, _type]) => [guid, { _type }])) };
const tell = lead({ _connection: connection }, way, () => console.log("gone"));
const say = async () => {
  for (const [who, message] of says) {
    if (who === "test") { tell(message); continue; }
    if (who === "wait") { await new Promise((done) => setTimeout(done, 150)); continue; }
    if (message.params?.bytes) message.params.bytes = Buffer.from(message.params.bytes);
    said.add(message);
    if (message.id === "question") message.id = question;
    who === "call" ? connection.onmessage(message) : connection.dispatch(message);
  }
  setTimeout(() => process.exit(), 300);
};
say();
`

// Breadcrumb in the tests below: it changes what is marked, answers and asks by itself, holds
// back, makes the last call again and ends, as the marks in a message say.
func passMarked(text []byte, to, back proxy.Conn, end func()) error {
	var asked struct {
		ID     any
		Params struct{ Does string }
		Result struct{ Does string }
	}
	_ = json.Unmarshal(text, &asked)
	switch asked.Params.Does + asked.Result.Does {
	case "hold":
		return nil
	case "end":
		end()
		return nil
	case "change":
		return to.Send(bytes.Replace(text, []byte(`"does":"change"`), []byte(`"does":"changed"`), 1))
	case "answer":
		return back.Send([]byte(`{"id":1,"result":{"by":"Breadcrumb"}}`))
	case "heal":
		return errors.Join(back.Send(healedText), to.Send(text))
	case "ask":
		return errors.Join(to.Send([]byte(`{"id":"own","guid":"frame@1","method":"querySelector","params":{}}`)), to.Send(text))
	}
	return to.Send(text)
}

// playBreadcrumb leads one worker with a rule. It returns where, the calls that the worker made
// itself, and what pages told of them.
func playBreadcrumb(t *testing.T) (address string, made, told chan []byte) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	made, told = make(chan []byte, 10), make(chan []byte, 100)
	go func() {
		sides := map[side]*proxy.Pipe{}
		var conns []net.Conn
		for len(sides) < 2 {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			who, err := readIntroduction(conn)
			if err != nil {
				t.Error(err)
				return
			}
			conns, sides[who.Side] = append(conns, conn), proxy.NewPipe(conn, conn)
		}
		end := func() { _, _ = conns[0].Close(), conns[1].Close() }
		from, to := newLanes(sides[clientSide], sides[driverSide], func([]byte) {})
		pass := func(from, to, back proxy.Conn) {
			for {
				text, err := from.Receive()
				if bytes.Contains(text, []byte(`"made":true`)) {
					made <- text
				} else if bytes.Contains(text, []byte(`"value":"engine`)) {
					told <- text
				} else if bytes.Contains(text, []byte(`"does":"make"`)) && back.Send(<-made) == nil {
					continue
				}
				if err != nil || passMarked(text, to, back, end) != nil {
					return
				}
			}
		}
		go pass(from, to, from)
		pass(to, from, to)
	}()
	return listener.Addr().String(), made, told
}

func TestAConnectionIsLedInItsOrder(t *testing.T) {
	t.Parallel()
	const (
		wait   = `["wait"]`
		later  = wait + "," + wait + "," + wait + "," + wait + "," + wait + "," + wait + "," + wait + "," + wait // for what waits to be written
		click  = `["call",{"id":1,"guid":"frame@1","method":"click","params":{"selector":"#a","timeout":5000}}]`
		made   = "> {\"id\":1,\"guid\":\"frame@1\",\"method\":\"click\",\"params\":{\"selector\":\"#a\",\"timeout\":5000}}\n"
		expect = `["call",{"id":1,"guid":"frame@1","method":"expect","params":{"selector":"#a","timeout":5000}}]`
		found  = `["answer",{"id":"question","result":{"value":"engine\nwhat the page shows"}}]`
		// Another element of a click is found by the first of what its selector finds.
		asked      = ">!{\"id\":\"question\",\"guid\":\"frame@1\",\"method\":\"textContent\",\"params\":{\"selector\":\"#a >> nth=0 >> engine=[1099511627777] >> internal:or=\\\"engine=[1099511627777,\\\\\\\"data-testid\\\\\\\",false]\\\"\",\"strict\":true,\"timeout\":0},\"metadata\":{\"internal\":true,\"timeout\":0}}\n"
		ahead      = `["call",{"id":1,"guid":"frame@1","method":"click","params":{"selector":"#a","timeout":5000,"does":"change"}}]`
		madeChange = ">!{\"id\":1,\"guid\":\"frame@1\",\"method\":\"click\",\"params\":{\"selector\":\"#a\",\"timeout\":5000,\"does\":\"changed\"}}"
	)
	const (
		counted   = ">!{\"id\":\"question\",\"guid\":\"frame@1\",\"method\":\"queryCount\",\"params\":{\"selector\":\"#a\",\"timeout\":0},\"metadata\":{\"internal\":true,\"timeout\":0}}\n"
		isThere   = `["answer",{"id":"question","result":{"value":2}}]`
		isNot     = `["answer",{"id":"question","result":{"value":0}}]`
		findsNone = `["answer",{"id":"question","result":{"value":"engine\n"}}]`
		answered  = `["answer",{"id":1,"result":{}}]`
	)
	const (
		context    = `["answer",{"guid":"browser@1","method":"__create__","params":{"type":"BrowserContext","guid":"context@1"}}]`
		registered = ">!{\"id\":\"question\",\"guid\":\"context@1\",\"method\":\"registerSelectorEngine\",\"params\":{\"selectorEngine\":{\"contentScript\":true,\"name\":\"engine\",\"source\":\"the engine\"},\"timeout\":0},\"metadata\":{\"internal\":true,\"timeout\":0}}\n< {\"guid\":\"browser@1\",\"method\":\"__create__\",\"params\":{\"type\":\"BrowserContext\",\"guid\":\"context@1\"}}\n"
	)
	const holds = "< {\"id\":1,\"result\":{}}\n"
	expected, askedOne := strings.Replace(made, "click", "expect", 1), strings.Replace(asked, " >> nth=0", "", 1)
	other := strings.NewReplacer(`"id":1`, `"id":2`, "#a", "#b").Replace
	askedBoth := func(own string) string { // own for question 1099511627779, and #a for 1099511627777
		return ">!{\"id\":\"question\",\"guid\":\"frame@1\",\"method\":\"textContent\",\"params\":{\"selector\":\"" + own + ` >> engine=[1099511627779] >> internal:or=\"#a >> engine=[1099511627777]\" >> internal:or=\"engine=[[1099511627779,1099511627777],\\\"data-testid\\\",false]\"` + "\",\"strict\":true,\"timeout\":0},\"metadata\":{\"internal\":true,\"timeout\":0}}\n"
	}
	unbounded := strings.NewReplacer("5000", "0").Replace
	atOnce := strings.NewReplacer("click", "dispatchEvent").Replace
	brief := strings.NewReplacer("5000", "2000").Replace
	filled := strings.NewReplacer("click", "fill", "5000", "0").Replace
	given := strings.NewReplacer("> ", ">!", "click", "fill", "5000", "10000").Replace
	numberedNext := strings.NewReplacer("1099511627777", "1099511627779").Replace
	numbered := strings.NewReplacer(" >> nth=0", "", "1099511627777", "1099511627779").Replace
	entering := strings.NewReplacer("#a", "#f >> internal:control=enter-frame >> #a").Replace
	entered := strings.NewReplacer(`"timeout":0`, `"timeout":1000`).Replace
	inOne := strings.NewReplacer(`false]`, `false,true]`).Replace
	framesTold := func(n int) string {
		value, _ := json.Marshal(fmt.Sprintf("engine\n{\"target\":1,\"frames\":%d}\n[]", n) + strings.Repeat("\n{\"target\":-1}\n[]", n))
		return `["answer",{"id":"question","result":{"value":` + string(value) + `}}]`
	}
	askedFrame := func(guid string, number int) string {
		return fmt.Sprintf(">!{\"id\":\"question\",\"guid\":%q,\"method\":\"textContent\",\"params\":{\"selector\":\"engine=[%d,\\\"data-testid\\\",true]\",\"strict\":true,\"timeout\":0},\"metadata\":{\"internal\":true,\"timeout\":0}}\n", guid, number)
	}
	newFrame := func(i int) string {
		return fmt.Sprintf(`{"guid":"page@1","method":"__create__","params":{"type":"Frame","guid":"frame@%d","initializer":{"parentFrame":{"guid":"frame@1"}}}}`, i+2)
	}
	frames := func(n int) (says string) {
		for i := range n {
			says += `["answer",` + newFrame(i) + `],`
		}
		return says
	}
	heardOf := func(n int) (heard string) {
		for i := range n {
			heard += "< " + newFrame(i) + "\n"
		}
		return heard
	}
	for name, c := range map[string]struct{ says, heard string }{
		"what is not followed goes past": {
			`["call",{"id":1,"method":"goto"}],["answer",{"id":1,"result":{}}],["answer",{"guid":"page@1","method":"console","params":{}}]`,
			"> {\"id\":1,\"method\":\"goto\"}\n< {\"id\":1,\"result\":{}}\n< {\"guid\":\"page@1\",\"method\":\"console\",\"params\":{}}",
		},
		"what is said behind a followed call waits for it": {
			`["call",{"id":1,"method":"click","params":{}}],["call",{"id":2,"method":"goto"}],` + wait + `,["answer",{"id":1,"result":{}}]`,
			"> {\"id\":1,\"method\":\"click\",\"params\":{}}\n> {\"id\":2,\"method\":\"goto\"}\n< {\"id\":1,\"result\":{}}",
		},
		"a changed call is another one, with its bytes": {
			`["call",{"id":1,"method":"click","params":{"does":"change","bytes":[1,2]}}],` + wait,
			`>!{"id":1,"method":"click","params":{"does":"changed","bytes":"bytes 1,2"}}`,
		},
		"a call that Breadcrumb answers is not made": {
			`["call",{"id":1,"method":"click","params":{"does":"answer"}}],` + wait,
			`<!{"id":1,"result":{"by":"Breadcrumb"}}`,
		},
		"an answer that fails waits for Breadcrumb, and what is behind it too": {
			`["call",{"id":1,"method":"click","params":{}}],` + wait + `,["answer",{"id":1,"error":{},"result":{"does":"change"}}],["answer",{"guid":"page@1","method":"console","params":{}}],` + wait,
			"> {\"id\":1,\"method\":\"click\",\"params\":{}}\n<!{\"id\":1,\"error\":{},\"result\":{\"does\":\"changed\"}}\n< {\"guid\":\"page@1\",\"method\":\"console\",\"params\":{}}",
		},
		"nobody hears of Breadcrumb's own calls and handles": {
			`["call",{"id":1,"method":"click","params":{"does":"ask"}}],` + wait + `,["answer",{"guid":"frame@1","method":"__create__","params":{"type":"ElementHandle","guid":"handle@1","does":"hold"}}],["answer",{"id":"own","result":{"does":"hold"}}],` +
				wait + `,["answer",{"guid":"handle@1","method":"previewUpdated","params":{"does":"end"}}],` + wait + `,["answer",{"guid":"handle@1","method":"__dispose__","params":{}}]`,
			">!{\"id\":\"own\",\"guid\":\"frame@1\",\"method\":\"querySelector\",\"params\":{}}\n> {\"id\":1,\"method\":\"click\",\"params\":{\"does\":\"ask\"}}\ngone",
		},
		"where Breadcrumb ends, what it held goes on": {
			`["call",{"id":1,"method":"click","params":{"does":"hold"}}],["call",{"id":2,"method":"click","params":{"does":"end"}}],["call",{"id":3,"method":"goto"}],` + wait + `,["answer",{"id":3,"result":{}}]`,
			"> {\"id\":1,\"method\":\"click\",\"params\":{\"does\":\"hold\"}}\n> {\"id\":2,\"method\":\"click\",\"params\":{\"does\":\"end\"}}\n> {\"id\":3,\"method\":\"goto\"}\ngone\n< {\"id\":3,\"result\":{}}",
		},
		"where Breadcrumb ends, a held answer comes": {
			`["call",{"id":1,"method":"click","params":{}}],` + wait + `,["answer",{"id":1,"error":{},"result":{"does":"hold"}}],["answer",{"guid":"page@1","method":"console","params":{}}],` + wait + `,["call",{"id":2,"method":"click","params":{"does":"end"}}],` + wait,
			"> {\"id\":1,\"method\":\"click\",\"params\":{}}\n< {\"guid\":\"page@1\",\"method\":\"console\",\"params\":{}}\n> {\"id\":2,\"method\":\"click\",\"params\":{\"does\":\"end\"}}\ngone\n< {\"id\":1,\"error\":{},\"result\":{\"does\":\"hold\"}}",
		},
		"where Breadcrumb ends, a call that it changed and that fails is made as it was": {
			`["call",{"id":1,"method":"click","params":{"does":"change"}}],` + wait + `,["answer",{"id":1,"error":{},"result":{"does":"hold"}}],` + wait + `,["call",{"id":2,"method":"click","params":{"does":"end"}}],` + wait + `,["answer",{"id":1,"result":{}}]`,
			">!{\"id\":1,\"method\":\"click\",\"params\":{\"does\":\"changed\"}}\n> {\"id\":1,\"method\":\"click\",\"params\":{\"does\":\"change\"}}\n> {\"id\":2,\"method\":\"click\",\"params\":{\"does\":\"end\"}}\ngone\n< {\"id\":1,\"result\":{}}",
		},
		"a call with enough time is made at once, and the page is asked behind it": {
			click + `,["call",{"id":2,"method":"goto"}],["answer",{"id":1,"result":{}}],` + found + `,` + wait + `,["call",{"id":3,"method":"goto"}]`,
			made + asked + "> {\"id\":2,\"method\":\"goto\"}\n< {\"id\":1,\"result\":{}}\n> {\"id\":3,\"method\":\"goto\"}",
		},
		"the same call is read once": {
			click + `,` + found + `,["answer",{"id":1,"result":{}}],` + wait + `,` + click,
			made + asked + "< {\"id\":1,\"result\":{}}\n" + strings.TrimSpace(made),
		},
		"a made call that fails waits for Breadcrumb": {
			click + `,["answer",{"id":1,"error":{},"result":{"does":"change"}}]`,
			made + asked + "<!{\"id\":1,\"error\":{},\"result\":{\"does\":\"changed\"}}",
		},
		"the page is asked for an assertion when that holds": {
			expect + `,["answer",{"id":1,"result":{}}]`,
			expected + holds + strings.TrimSpace(askedOne),
		},
		"assertions that follow each other have the page asked for all": {
			expect + `,` + answered + `,` + other(expect) + `,` + other(answered),
			expected + other(expected) + holds + other(holds) + strings.TrimSpace(askedBoth("#b")),
		},
		"an assertion that is made again right away is asked for once": {
			expect + `,` + answered + `,` + expect + `,` + answered,
			expected + expected + holds + holds + strings.TrimSpace(askedOne),
		},
		"the page is asked for an assertion and the action behind it at once": {
			expect + `,` + answered + `,` + other(click),
			expected + other(made) + askedBoth("#b >> nth=0") + strings.TrimSpace(holds),
		},
		"an assertion does not wait for one that takes longer": {
			expect + `,` + answered + `,` + other(expect) + `,` + wait + `,` + other(answered),
			expected + other(expected) + holds + askedOne + other(holds) + strings.TrimSpace(numbered(strings.Replace(askedOne, "#a", "#b", 1))),
		},
		"the page is asked for an assertion before another call is made": {
			expect + `,` + answered + `,["call",{"id":2,"method":"goto"}]`,
			expected + askedOne + "> {\"id\":2,\"method\":\"goto\"}\n" + strings.TrimSpace(holds),
		},
		"a page is closed when it was asked for the assertion before": {
			expect + `,` + answered + `,["call",{"id":2,"guid":"page@1","method":"close","params":{}}],` + wait + `,` + found,
			expected + askedOne + holds + "> {\"id\":2,\"guid\":\"page@1\",\"method\":\"close\",\"params\":{}}",
		},
		"a page that tells nothing of one of two assertions is asked for that alone": {
			expect + `,` + answered + `,` + other(expect) + `,` + other(answered) + `,` + wait + `,["answer",{"id":"question","result":{"value":"engine\n{\"targets\":[3,null]}\n[]"}}]`,
			expected + other(expected) + holds + other(holds) + askedBoth("#b") + strings.TrimSpace(askedOne),
		},
		"a page that cannot be asked for two calls is asked for the first alone": {
			expect + `,` + answered + `,` + other(click) + `,["answer",{"id":"question","error":{}}]`,
			expected + other(made) + askedBoth("#b >> nth=0") + askedOne + strings.TrimSpace(holds),
		},
		"a selector that swallows the question goes ahead from then on": {
			click + `,["answer",{"id":"question","result":{"value":"what the element says"}}],["answer",{"id":1,"result":{}}],` + wait + `,` + ahead,
			made + asked + strings.ReplaceAll(asked, "1099511627777", "1099511627779") + "< {\"id\":1,\"result\":{}}\n" + madeChange,
		},
		"a call that waited for its element has the page asked again": {
			click + `,` + strings.Replace(found, "what the page shows", "", 1) + `,["answer",{"id":1,"result":{}}]`,
			made + asked + strings.ReplaceAll(asked, "1099511627777", "1099511627779") + "< {\"id\":1,\"result\":{}}",
		},
		"an assertion of an older Playwright that does not hold waits for Breadcrumb": {
			expect + `,["answer",{"id":1,"result":{"matches":false,"does":"change"}}]`,
			expected + "<!{\"id\":1,\"result\":{\"matches\":false,\"does\":\"changed\"}}",
		},
		"a call without a timeout is made when its element is there": {
			unbounded(click) + `,["call",{"id":2,"method":"goto"}],` + isThere,
			counted + unbounded(made) + asked + "> {\"id\":2,\"method\":\"goto\"}",
		},
		"a call without a timeout goes ahead when its element is not there": {
			unbounded(ahead) + `,["call",{"id":2,"method":"goto"}],` + isNot,
			counted + unbounded(madeChange) + "\n> {\"id\":2,\"method\":\"goto\"}",
		},
		"a call without a timeout goes ahead when its page does not answer": {
			unbounded(ahead) + `,["call",{"id":2,"method":"accept"}],` + wait + `,` + isThere,
			counted + unbounded(madeChange) + "\n> {\"id\":2,\"method\":\"accept\"}",
		},
		"a call without a timeout that may be made twice gets one": {
			filled(click) + `,` + found + `,["call",{"id":2,"method":"goto"}],` + answered,
			given(made) + asked + "> {\"id\":2,\"method\":\"goto\"}\n< {\"id\":1,\"result\":{}}",
		},
		"a call that ran out of a timeout not its own is made as the test wrote it": {
			filled(click) + `,` + findsNone + `,["answer",{"id":1,"error":{},"result":{"does":"make"}}],` + wait + `,` + answered,
			given(made) + asked + filled(made) + numberedNext(asked) + "< {\"id\":1,\"result\":{}}",
		},
		"a call without a timeout gets a third of the time that its test has left": {
			`["test",{"start":1,"timeout":1}],` + filled(click),
			strings.Replace(given(made), "10000", "1", 1) + strings.TrimSpace(asked),
		},
		"a call gets its timeout in its metadata, where newer clients write it": {
			strings.Replace(filled(click), `,"timeout":0}`, `},"metadata":{"timeout":0}`, 1),
			strings.Replace(given(made), `,"timeout":10000}`, `},"metadata":{"timeout":10000}`, 1) + strings.TrimSpace(asked),
		},
		"a call gets no timeout that a trace would show": {
			`["call",{"id":3,"method":"tracingStart","params":{}}],` + wait + `,` + filled(click) + `,` + isThere,
			"> {\"id\":3,\"method\":\"tracingStart\",\"params\":{}}\n" + counted + filled(made) + strings.TrimSpace(asked),
		},
		"where Breadcrumb ends, a call with a timeout that it has not of its own is made without": {
			filled(click) + `,` + found + `,["answer",{"guid":"browser-type@1","method":"__dispose__","params":{"does":"end"}}],` + later + `,["answer",{"id":1,"error":{}}]`,
			given(made) + asked + "< {\"guid\":\"browser-type@1\",\"method\":\"__dispose__\",\"params\":{\"does\":\"end\"}}\ngone\n" + strings.TrimSpace(filled(made)),
		},
		"a call that acts at once is made when its page has told what it finds": {
			atOnce(click) + `,["call",{"id":2,"method":"goto"}],` + found + `,` + answered,
			asked + atOnce(made) + "> {\"id\":2,\"method\":\"goto\"}\n< {\"id\":1,\"result\":{}}",
		},
		"a call that acts at once is made where its page does not tell, too": {
			atOnce(click) + `,["wait"],["wait"],["wait"],["wait"],` + found + `,` + answered,
			asked + atOnce(made) + "< {\"id\":1,\"result\":{}}",
		},
		"a call that acts at once has the page asked again where its element came later": {
			atOnce(click) + `,` + findsNone + `,` + answered,
			asked + atOnce(made) + numberedNext(asked) + "< {\"id\":1,\"result\":{}}",
		},
		"a call that acts at once, without a timeout, is not counted where its page told": {
			unbounded(atOnce(click)) + `,` + found,
			asked + strings.TrimSpace(unbounded(atOnce(made))),
		},
		"a call that acts at once, without a timeout, is counted where its page told nothing": {
			unbounded(atOnce(click)) + `,` + findsNone + `,["wait"],` + isThere,
			asked + counted + strings.TrimSpace(unbounded(atOnce(made))),
		},
		"a call that acts at once, without a timeout, goes ahead where its element is not there": {
			unbounded(atOnce(ahead)) + `,` + findsNone + `,["wait"],` + isNot,
			asked + counted + unbounded(atOnce(madeChange)),
		},
		"the page of a call with little time is read before it": {
			brief(click) + `,` + found + `,` + answered,
			asked + brief(made) + "< {\"id\":1,\"result\":{}}",
		},
		"what waits until an element is gone goes past": {
			strings.NewReplacer("click", "waitForSelector", `"timeout"`, `"state":"hidden","timeout"`).Replace(ahead),
			"> " + strings.NewReplacer("click", "waitForSelector", `"timeout"`, `"state":"hidden","timeout"`, "changed", "change").Replace(madeChange)[2:],
		},
		"a page is closed when it has told what calls found": {
			click + `,["call",{"id":2,"guid":"page@1","method":"close","params":{}}],["answer",{"id":1,"result":{}}],` + wait + `,` + found,
			made + asked + "< {\"id\":1,\"result\":{}}\n> {\"id\":2,\"guid\":\"page@1\",\"method\":\"close\",\"params\":{}}",
		},
		"a call in a frame has all frames asked that the page has by then": {
			entering(click) + `,` + framesTold(1) + `,` + answered,
			entering(made) + inOne(entered(entering(asked))) + askedFrame("frame@1", 1099511627779) + "< {\"id\":1,\"result\":{}}",
		},
		"a page with frames tells of them by the same question": {
			frames(1) + click + `,` + framesTold(1) + `,` + answered,
			made + inOne(asked) + heardOf(1) + "< {\"id\":1,\"result\":{}}",
		},
		"a page that may not look into its frames has them asked, and the next time at once": {
			frames(1) + click + `,` + framesTold(0) + `,` + wait + `,` + strings.Replace(click, "#a", "#b", 1),
			made + inOne(asked) + askedFrame("frame@2", 1099511627779) + heardOf(1) + strings.NewReplacer("#a", "#b", "1099511627777", "1099511627781").Replace(made+asked) + strings.TrimSpace(askedFrame("frame@2", 1099511627783)),
		},
		"a page with other frames than were told has those asked that were": {
			frames(2) + click + `,` + framesTold(1) + `,` + answered,
			made + inOne(asked) + askedFrame("frame@2", 1099511627779) + askedFrame("frame@3", 1099511627781) + heardOf(2) + "< {\"id\":1,\"result\":{}}",
		},
		"a page is closed when it has told what calls found, whatever its frames tell": {
			frames(1) + click + `,["call",{"id":2,"guid":"page@1","method":"close","params":{}}],` + answered + `,` + wait + `,` + framesTold(0),
			made + inOne(asked) + heardOf(1) + "< {\"id\":1,\"result\":{}}\n" + askedFrame("frame@2", 1099511627779) + "> {\"id\":2,\"guid\":\"page@1\",\"method\":\"close\",\"params\":{}}",
		},
		"a call that acts at once is made when its page has told what it finds, whatever its frames tell": {
			frames(1) + atOnce(click) + `,` + framesTold(0) + `,` + answered,
			inOne(asked) + atOnce(made) + askedFrame("frame@2", 1099511627779) + heardOf(1) + "< {\"id\":1,\"result\":{}}",
		},
		"a selector of a page with frames that swallows the question": {
			frames(1) + click + `,["answer",{"id":"question","result":{"value":"what the element\nsays"}}],` + answered,
			made + inOne(asked) + inOne(strings.ReplaceAll(asked, "1099511627777", "1099511627781")) + heardOf(1) + "< {\"id\":1,\"result\":{}}",
		},
		"a call on a page with very many frames goes ahead": {frames(20) + ahead, heardOf(20) + madeChange},
		"the engine is registered with a new context before the tests hear of it, and calls of that go ahead until then": {
			context + `,` + ahead,
			registered + madeChange,
		},
		"a call of a context with the engine is made at once": {
			context + `,["answer",{"id":"question"}],` + wait + `,` + click,
			registered + made + strings.TrimSpace(strings.ReplaceAll(asked, "1099511627777", "1099511627778")),
		},
		"where the engine is refused, all calls go ahead": {
			context + `,["answer",{"id":"question","error":{}}],` + ahead,
			registered + madeChange,
		},
		"where something is healed, all calls go ahead":        {`["call",{"id":3,"method":"click","params":{"does":"heal"}}],` + wait + `,` + ahead, "> {\"id\":3,\"method\":\"click\",\"params\":{\"does\":\"heal\"}}\n" + madeChange},
		"where Breadcrumb ends, a made call is not made again": {click + `,["answer",{"guid":"browser-type@1","method":"__dispose__","params":{"does":"end"}}],` + later + `,["answer",{"id":1,"error":{}}],` + found, made + asked + "< {\"guid\":\"browser-type@1\",\"method\":\"__dispose__\",\"params\":{\"does\":\"end\"}}\ngone\n< {\"id\":1,\"error\":{}}"},
		"where Breadcrumb ends, a call that waited is made":    {strings.Replace(click, "5000", "0", 1) + `,["answer",{"guid":"browser-type@1","method":"__dispose__","params":{"does":"end"}}],` + later + `,["answer",{"id":"question","result":{"value":1}}]`, ">!{\"id\":\"question\",\"guid\":\"frame@1\",\"method\":\"queryCount\",\"params\":{\"selector\":\"#a\",\"timeout\":0},\"metadata\":{\"internal\":true,\"timeout\":0}}\n< {\"guid\":\"browser-type@1\",\"method\":\"__dispose__\",\"params\":{\"does\":\"end\"}}\n" + strings.Replace(made, "5000", "0", 1) + "gone"},
		"where Breadcrumb ends, what waits to close is closed": {click + `,["call",{"id":2,"guid":"page@1","method":"close","params":{}}],["answer",{"id":1,"error":{},"result":{"does":"end"}}],["wait"],["wait"],` + found, made + asked + "> {\"id\":2,\"guid\":\"page@1\",\"method\":\"close\",\"params\":{}}\ngone\n< {\"id\":1,\"error\":{},\"result\":{\"does\":\"end\"}}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, _, _ := playBreadcrumb(t)
			out, err := runLeadScript(t, address, c.says)
			if diff := cmp.Diff(c.heard, strings.TrimSpace(string(out))); err != nil || diff != "" {
				t.Errorf("%v; heard (-want +got):\n%s", err, diff)
			}
		})
	}
}

// runLeadScript leads a worker to an address, and returns what its tests and Playwright heard.
func runLeadScript(t *testing.T, address, says string) ([]byte, error) {
	t.Helper()
	script, err := filepath.Abs("hooks/lead.cjs")
	if err != nil {
		t.Fatal(err)
	}
	w, err := json.Marshal(way{address, "secret/7-ab", proxy.FollowedMessages(proxy.Options{Reader: "engine"})})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), findNode(t), "-e", leadScript, script, `{"way":`+string(w)+`,"before":[["browser-type@1","BrowserType"],["request@1","Request"]],"says":[`+says+`]}`)
	cmd.WaitDelay = time.Minute
	return cmd.CombinedOutput()
}

// What waits to be written is told when the worker ends: its last test may just have closed
// its page.
func TestAWorkerTellsWhatWaitsAtItsEnd(t *testing.T) {
	t.Parallel()
	address, made, _ := playBreadcrumb(t)
	const says = `["call",{"id":1,"guid":"frame@1","method":"click","params":{"selector":"#a","timeout":5000}}]`
	if out, err := runLeadScript(t, address, says); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	select {
	case <-made:
	case <-time.After(time.Minute):
		t.Error("nothing was told")
	}
}

// What a page tells of its frames by one question is told as answers to a question each.
func TestAWorkerTellsOfFramesByTheirQuestions(t *testing.T) {
	t.Parallel()
	address, made, told := playBreadcrumb(t)
	const says = `["answer",{"guid":"page@1","method":"__create__","params":{"type":"Frame","guid":"frame@2","initializer":{"parentFrame":{"guid":"frame@1"}}}}],
		["call",{"id":1,"guid":"frame@1","method":"click","params":{"selector":"#f >> internal:control=enter-frame >> #a","timeout":5000}}],
		["answer",{"id":"question","result":{"value":"engine\n{\"document\":\"d\",\"frames\":1}\n[1]\n{}\n[2]"}}]`
	if out, err := runLeadScript(t, address, says); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var call struct{ Read []string }
	if err := json.Unmarshal(<-made, &call); err != nil || len(call.Read) != 3 {
		t.Fatalf("the call tells of the questions %v; %v", call.Read, err)
	}
	got := map[string]string{}
	for range call.Read {
		var answer struct {
			ID     string
			Result struct{ Value string }
		}
		if err := json.Unmarshal(<-told, &answer); err != nil {
			t.Fatal(err)
		}
		got[answer.ID] = answer.Result.Value
	}
	const own = "engine\n{\"document\":\"d\",\"frames\":1}\n"
	want := map[string]string{call.Read[0]: own + "[1]", call.Read[1]: "engine\n{}\n[2]", call.Read[2]: own + "[]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// What a page tells of several calls by one question is told as answers to a question each.
func TestAWorkerTellsOfCallsByTheirQuestions(t *testing.T) {
	t.Parallel()
	address, made, told := playBreadcrumb(t)
	const says = `["call",{"id":1,"guid":"frame@1","method":"expect","params":{"selector":"#a","timeout":5000}}],["answer",{"id":1,"result":{}}],
		["call",{"id":2,"guid":"frame@1","method":"click","params":{"selector":"#b","timeout":5000}}],
		["answer",{"id":"question","result":{"value":"engine\n{\"document\":\"d\",\"targets\":[4,5],\"target\":4,\"at\":\"http://a.example/\"}\n[1]"}}]`
	if out, err := runLeadScript(t, address, says); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	<-made // the assertion, which has its question with its answer
	var click struct{ Read []string }
	if err := json.Unmarshal(<-made, &click); err != nil || len(click.Read) != 1 {
		t.Fatalf("the click tells of the questions %v; %v", click.Read, err)
	}
	got := map[bool]string{}
	for range 2 {
		var answer struct {
			ID     string
			Result struct{ Value string }
		}
		if err := json.Unmarshal(<-told, &answer); err != nil {
			t.Fatal(err)
		}
		got[answer.ID == click.Read[0]] = answer.Result.Value
	}
	const page = `,"document":"d","at":"http://a.example/"}` + "\n[1]"
	want := map[bool]string{true: "engine\n" + `{"target":4` + page, false: "engine\n" + `{"target":5` + page}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("told, and whether of the click (-want +got):\n%s", diff)
	}
}

// A Playwright whose connection has another form is not led, and says so.
func TestAnUnknownPlaywrightIsLeftAlone(t *testing.T) {
	t.Parallel()
	node := findNode(t)
	script, err := filepath.Abs("hooks/lead.cjs")
	if err != nil {
		t.Fatal(err)
	}
	const told = "this Playwright is built differently from the versions that Breadcrumb knows, 1.36 to 1.65; a newer Breadcrumb may know it"
	for _, playwright := range []string{"undefined", "{}", "{_connection:{}}", "{_connection:{onmessage(){},_objects:new Map()}}", "{_connection:{onmessage(){},dispatch(){}}}"} {
		out, err := exec.CommandContext(t.Context(), node, "-e", `try { require(process.argv[1]).lead(`+playwright+`, {}); } catch (error) { console.log(error.message); }`, script).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != told {
			t.Errorf("%s: %s %v", playwright, out, err)
		}
	}
}
