package attach

import (
	"bytes"
	"encoding/json"
	"errors"
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
// object than the one that was said. A handler of the tests sees nothing of Breadcrumb in its
// stack.
const leadScript = `
const { lead } = require(process.argv[1]);
const { way, before, says } = JSON.parse(process.argv[2]);
const said = new Set();
const heard = (mark) => (message) => {
  const bytes = (key, value) => (value?.type === "Buffer" ? "bytes " + value.data : value);
  if (mark === "<" && /lane|lead/.test(new Error().stack)) console.log(new Error().stack);
  console.log(mark + (said.has(message) ? " " : "!") + JSON.stringify(message, bytes));
};
const connection = { onmessage: heard(">"), dispatch: heard("<"), _objects: new Map(before.map(([guid, _type]) => [guid, { _type }])) };
lead({ _connection: connection }, way, "0", () => console.log("gone"));
const say = async () => {
  for (const [who, message] of says) {
    if (who === "wait") { await new Promise((done) => setTimeout(done, 150)); continue; }
    if (message.params?.bytes) message.params.bytes = Buffer.from(message.params.bytes);
    said.add(message);
    who === "call" ? connection.onmessage(message) : connection.dispatch(message);
  }
  setTimeout(() => process.exit(), 300);
};
say();
`

// Breadcrumb in the tests below: it changes what is marked, answers and asks by itself, holds
// back and ends, as the marks in a message say.
func passMarked(text []byte, to, back *proxy.Pipe, end func()) error {
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
	case "ask":
		return errors.Join(to.Send([]byte(`{"id":"own","guid":"frame@1","method":"querySelector","params":{}}`)), to.Send(text))
	}
	return to.Send(text)
}

// playBreadcrumb leads one worker with a rule, and returns what came over both lanes.
func playBreadcrumb(t *testing.T) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
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
		from, to := newLanes(sides[clientSide], sides[driverSide])
		pass := func(from proxy.Conn, to, back *proxy.Pipe) {
			for {
				text, err := from.Receive()
				if err != nil || passMarked(text, to, back, end) != nil {
					return
				}
			}
		}
		go pass(from, sides[driverSide], sides[clientSide])
		pass(to, sides[clientSide], sides[driverSide])
	}()
	return listener.Addr().String()
}

func TestAConnectionIsLedInItsOrder(t *testing.T) {
	t.Parallel()
	node := findNode(t)
	script, err := filepath.Abs("hooks/lead.cjs")
	if err != nil {
		t.Fatal(err)
	}
	const wait = `["wait"]`
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
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, err := json.Marshal(way{playBreadcrumb(t), "secret/7-ab", proxy.FollowedMessages()})
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), node, "-e", leadScript, script, `{"way":`+string(w)+`,"before":[["browser-type@1","BrowserType"],["request@1","Request"]],"says":[`+c.says+`]}`)
			cmd.WaitDelay = time.Minute
			out, err := cmd.CombinedOutput()
			if diff := cmp.Diff(c.heard, strings.TrimSpace(string(out))); err != nil || diff != "" {
				t.Errorf("%v; heard (-want +got):\n%s", err, diff)
			}
		})
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
		out, err := exec.CommandContext(t.Context(), node, "-e", `try { require(process.argv[1]).lead(`+playwright+`, {}, "0"); } catch (error) { console.log(error.message); }`, script).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != told {
			t.Errorf("%s: %s %v", playwright, out, err)
		}
	}
}
