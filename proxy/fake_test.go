package proxy

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// world is what a driver tells of a page, as far as the proxy follows it.
var world = []string{
	`{"guid":"","method":"__create__","params":{"type":"BrowserType","initializer":{"name":"chromium"},"guid":"type@1"}}`,
	`{"guid":"type@1","method":"__create__","params":{"type":"Browser","initializer":{},"guid":"browser@1"}}`,
	`{"guid":"browser@1","method":"__create__","params":{"type":"BrowserContext","initializer":{"options":{"testIdAttributeName":"data-qa"}},"guid":"context@1"}}`,
	`{"guid":"context@1","method":"__create__","params":{"type":"Frame","initializer":{"url":"http://shop.example/","name":"","loadStates":[]},"guid":"frame@1"}}`,
	`{"guid":"context@1","method":"__create__","params":{"type":"Page","initializer":{"mainFrame":{"guid":"frame@1"}},"guid":"page@1"}}`,
	`{"guid":"page@1","method":"__adopt__","params":{"guid":"frame@1"}}`,
}

// fakeDriver answers as a test wants.
type fakeDriver struct {
	conn    Conn
	sending sync.Mutex
	mu      sync.Mutex
	got     []string // methods of all calls, "own " before the proxy's
	ids     []string
}

// serve tells of the world and answers every call with what answer returns, with nothing
// for "".
func serve(tb testing.TB, conn Conn, answer func(own bool, method string) string) *fakeDriver {
	tb.Helper()
	d := &fakeDriver{conn: conn}
	go func() {
		for _, text := range world {
			if conn.Send([]byte(text)) != nil {
				return
			}
		}
		for {
			text, err := conn.Receive()
			if err != nil {
				return
			}
			m, _ := readMessage(text)
			id, method := string(m.id.of(text)), m.string(m.method)
			own := strings.HasPrefix(id, `"breadcrumb-`)
			d.note(own, method, id)
			if say := answer(own, method); say != "" && d.say(strings.Replace(say, "ID", id, 1)) != nil {
				return
			}
		}
	}()
	return d
}

// say says something beside the answers.
func (d *fakeDriver) say(text string) error {
	d.sending.Lock()
	defer d.sending.Unlock()
	return d.conn.Send([]byte(text))
}

func (d *fakeDriver) note(own bool, method, id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if own {
		method = "own " + method
	}
	d.got, d.ids = append(d.got, method), append(d.ids, id)
}

// calls returns how often a method was called.
func (d *fakeDriver) calls(method string) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, got := range d.got {
		if got == method {
			n++
		}
	}
	return n
}

// awaitWorld receives what the driver tells of the world.
func awaitWorld(tb testing.TB, client Conn) {
	tb.Helper()
	for _, want := range world {
		if got := string(receive(tb, client)); got != want {
			tb.Fatalf("got %s, want %s", got, want)
		}
	}
}

// idOf returns the id of the first call of a method.
func (d *fakeDriver) idOf(method string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := slices.Index(d.got, method); i >= 0 {
		return d.ids[i]
	}
	return "0"
}

func clickOf(id int, timeout int) []byte {
	return fmt.Appendf(nil, `{"id":%d,"guid":"frame@1","method":"click","params":{"selector":"#a","strict":true,"timeout":%d},"metadata":{"location":{"file":"a.spec.ts","line":3,"column":5}}}`, id, timeout)
}

const (
	timedOut  = `{"id":ID,"error":{"error":{"name":"TimeoutError","message":"Timeout 500ms exceeded."}},"log":["  - waiting for locator('#a')"]}`
	clickedOn = `{"id":ID,"error":{"error":{"name":"TimeoutError","message":"Timeout 500ms exceeded."}},"log":["  - waiting for locator('#a')","    - locator resolved to <a id=\"a\">A</a>","  - attempting click action","    - performing click action"]}`
	// As drivers up to 1.46 or so say it.
	timedOutBefore = `{"id":ID,"error":{"error":{"name":"TimeoutError","message":"Timeout 500ms exceeded.\nCall log:\n  - waiting for locator('#a')\n"}}}`
	done           = `{"id":ID}`
	none           = `{"id":ID,"result":{"value":0}}`
	noAnswer       = `{"id":ID,"error":{"error":{"name":"Error","message":"the frame was detached"}}}`
	nothingThere   = `{"id":ID,"result":{"value":{"s":""}}}`
)

// Whether a call is looked into shows in the question how many elements there are.
func TestOnlyALossIsLookedInto(t *testing.T) {
	for _, c := range []struct {
		name, method, answer string
		asked                bool
	}{
		{"never found", "click", timedOut, true},
		{"never found, as older drivers say it", "click", timedOutBefore, true},
		{"found and clicked, and the next page is slow", "click", clickedOn, false},
		{"two found", "click", `{"id":ID,"error":{"error":{"name":"Error","message":"strict mode violation: locator('#a') resolved to 2 elements"}},"log":["  - waiting for locator('#a')"]}`, false},
		{"the page is closed", "click", `{"id":ID,"error":{"error":{"name":"TargetClosedError","message":"Target page, context or browser has been closed"}},"log":["  - waiting for locator('#a')"]}`, false},
		{"a timeout without a log", "click", `{"id":ID,"error":{"error":{"name":"TimeoutError","message":"Timeout 500ms exceeded."}}}`, false},
		{"an error of another form", "click", `{"id":ID,"error":"no"}`, false},
		{"count", "queryCount", none, false},
		{"visible", "isVisible", `{"id":ID,"result":{"value":false}}`, false},
		{"found", "click", done, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := quiet(t)
			o.Heal = "live"
			client, conn := relayed(t, Options{Live: o})
			d := serve(t, conn, func(own bool, method string) string {
				switch {
				case !own:
					return c.answer
				case method == "queryCount":
					return none
				}
				return nothingThere
			})
			awaitWorld(t, client)
			must(t, client.Send([]byte(strings.Replace(string(clickOf(7, 500)), `"click"`, `"`+c.method+`"`, 1))))
			if got, want := string(receive(t, client)), strings.Replace(c.answer, "ID", "7", 1); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if asked := d.calls("own queryCount") > 0; asked != c.asked {
				t.Errorf("asked %v, want %v: %v", asked, c.asked, d.got)
			}
			if d.calls(c.method) != 1 {
				t.Errorf("the call was made %d times", d.calls(c.method))
			}
		})
	}
}

// A call without a timeout is sent when its element is there, and when it is lost and
// nothing takes its place: then it waits as it would without the proxy.
func TestACallWithoutATimeoutIsSentOnce(t *testing.T) {
	for _, waited := range []string{done, timedOut, `{"id":ID,"error":{"error":{"name":"Error","message":"no such selector"}}}`} {
		t.Run(waited, func(t *testing.T) {
			t.Parallel()
			o := quiet(t)
			o.Heal = "live"
			client, conn := relayed(t, Options{Live: o})
			d := serve(t, conn, func(own bool, method string) string {
				switch {
				case !own:
					return done
				case method == "waitForSelector":
					return waited
				case method == "queryCount":
					return none
				}
				return nothingThere
			})
			awaitWorld(t, client)
			must(t, client.Send(clickOf(7, 0)))
			if got := string(receive(t, client)); got != `{"id":7}` {
				t.Errorf("got %s", got)
			}
			if d.calls("click") != 1 || d.calls("own waitForSelector") != 1 {
				t.Errorf("calls: %v", d.got)
			}
		})
	}
}

// A call that only reads, and has no timeout of its own, is made with one. When that ends
// and nothing takes the element's place it is made again, as the client wrote it.
func TestARepeatableCallWithoutATimeoutIsMadeWithOne(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []string
		asked   bool // how many elements there are
	}{
		{"there", []string{done}, false},
		{"refused", []string{`{"id":ID,"error":{"error":{"name":"Error","message":"no such selector"}}}`}, false},
		{"lost", []string{timedOut, done}, true},
		{"lost, and gone with the page", []string{timedOut, noAnswer}, true},
		{"hidden", []string{strings.ReplaceAll(clickedOn, "performing", "before"), done}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := quiet(t)
			o.Heal = "live"
			client, conn := relayed(t, Options{Live: o})
			var made atomic.Int32
			d := serve(t, conn, func(own bool, method string) string {
				switch {
				case !own:
					return c.answers[min(int(made.Add(1)), len(c.answers))-1]
				case method == "queryCount":
					return none
				}
				return nothingThere
			})
			awaitWorld(t, client)
			must(t, client.Send([]byte(strings.Replace(string(clickOf(7, 0)), `"click"`, `"getAttribute"`, 1))))
			if got, want := string(receive(t, client)), strings.Replace(c.answers[len(c.answers)-1], "ID", "7", 1); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if d.calls("getAttribute") != len(c.answers) || d.calls("own waitForSelector") != 0 || d.calls("own queryCount") > 0 != c.asked {
				t.Errorf("calls: %v", d.got)
			}
		})
	}
}

// A call that may not be made twice asks for its element first: how many there are, and where
// there is none waits for it.
func TestAnElementThatIsThereIsNotWaitedFor(t *testing.T) {
	for count, waits := range map[int]int{0: 1, 1: 0, 2: 0} {
		client, conn := relayed(t, Options{Live: quiet(t)})
		d := serve(t, conn, func(own bool, method string) string {
			switch {
			case own && method == "queryCount":
				return fmt.Sprintf(`{"id":ID,"result":{"value":%d}}`, count)
			case own && method == "waitForSelector":
				return done
			case own:
				return nothingThere
			}
			return done
		})
		awaitWorld(t, client)
		must(t, client.Send(clickOf(7, 0)))
		if got := string(receive(t, client)); got != `{"id":7}` {
			t.Errorf("got %s", got)
		}
		if d.calls("click") != 1 || d.calls("own waitForSelector") != waits {
			t.Errorf("with %d elements: calls %v", count, d.got)
		}
	}
}

func TestACallOfWhichATraceIsKeptIsMadeAsTheClientWroteIt(t *testing.T) {
	client, conn := relayed(t, Options{Live: quiet(t)})
	d := serve(t, conn, func(own bool, method string) string { return done })
	awaitWorld(t, client)
	must(t, client.Send([]byte(`{"id":6,"guid":"tracing@1","method":"tracingStart","params":{}}`)))
	receive(t, client)
	must(t, client.Send([]byte(strings.Replace(string(clickOf(7, 0)), `"click"`, `"getAttribute"`, 1))))
	receive(t, client)
	if d.calls("own waitForSelector") != 1 || d.calls("getAttribute") != 1 {
		t.Errorf("calls: %v", d.got)
	}
}

func TestTheTimeoutIsWrittenWhereTheClientHasOne(t *testing.T) {
	for client, driver := range map[string]string{
		`{"id":1,"params":{"selector":"#a","timeout":0},"metadata":{"stepId":"a"}}`:  `{"id":1,"params":{"selector":"#a","timeout":2500},"metadata":{"stepId":"a"}}`,
		`{"id":1,"params":{"selector":"#a"},"metadata":{"timeout":0,"stepId":"a"}}`:  `{"id":1,"params":{"selector":"#a"},"metadata":{"timeout":2500,"stepId":"a"}}`,
		`{"id":1,"params":{"selector":"#a","strict":true},"metadata":{"stepId":""}}`: `{"id":1,"params":{"timeout":2500,"selector":"#a","strict":true},"metadata":{"stepId":""}}`,
		`{"id":1,"params":{ "selector":"timeout"}}`:                                  `{"id":1,"params":{"timeout":2500, "selector":"timeout"}}`,
	} {
		m, ok := readMessage([]byte(client))
		c := &call{m: m}
		if got := string(m.edited(c.editsOfTimeout(2500 * time.Millisecond)...)); !ok || got != driver {
			t.Errorf("%s became\n%s, want\n%s", client, got, driver)
		}
	}
}

// A page is asked right behind a call what it shows, before the call can change that: a button
// that opens a form in its own place is gone after the click. A call that acts at once, or that
// has little time, is made when the page has told.
func TestAPageIsAskedAtTheTimeOfACall(t *testing.T) {
	for _, c := range []struct {
		method  string
		timeout int
		want    []string // what the driver gets last, in its order
	}{
		{"click", 0, []string{"own queryCount", "own waitForSelector", "click", "own textContent"}},
		{"click", 5000, []string{"click", "own textContent", "own textContent"}}, // and again where nothing was found
		{"click", 500, []string{"own textContent", "click"}},
		{"dispatchEvent", 5000, []string{"own textContent", "dispatchEvent"}},
		{"dispatchEvent", 0, []string{"own textContent", "own queryCount", "own waitForSelector", "own textContent", "dispatchEvent"}},
		{"getAttribute", 0, []string{"getAttribute", "own textContent", "own textContent"}},
		{"waitForSelector", 0, []string{"waitForSelector", "own textContent", "own textContent"}},
		{"expect", 5000, []string{"expect", "own textContent", "own textContent"}},
	} {
		t.Run(fmt.Sprint(c.method, c.timeout), func(t *testing.T) {
			client, conn := relayed(t, Options{Live: quiet(t)})
			d := serve(t, conn, func(own bool, method string) string {
				if own && method == "textContent" {
					return nothingThere
				}
				return done
			})
			awaitWorld(t, client)
			must(t, client.Send([]byte(strings.Replace(string(clickOf(7, c.timeout)), `"click"`, `"`+c.method+`"`, 1))))
			receive(t, client)
			var got []string
			for end := time.Now().Add(time.Minute); len(got) < len(c.want) && time.Now().Before(end); time.Sleep(time.Millisecond) {
				d.mu.Lock()
				got = slices.Clone(d.got[slices.Index(d.got, "own registerSelectorEngine")+1:])
				d.mu.Unlock()
				got = slices.DeleteFunc(got, func(method string) bool { return method == "own evalOnSelectorAll" }) // asks again what was not told
			}
			if len(got) < len(c.want) || !slices.Equal(got[:len(c.want)], c.want) {
				t.Errorf("the driver got %v, want %v first", got, c.want)
			}
		})
	}
}

// Whether the element of a call without a timeout is lost says the driver's answer, which
// may come when the page is closed.
func TestAnElementThatComesLaterIsNotToldAsLost(t *testing.T) {
	const closed = `{"id":ID,"error":{"error":{"name":"TargetClosedError","message":"Target closed"}},"log":["  - waiting for locator('#a')"%s]}`
	for _, c := range []struct {
		answer string
		events int
	}{
		{done, 0},
		{fmt.Sprintf(closed, `,"    - locator resolved to <a id=\"a\">A</a>"`), 0},
		{fmt.Sprintf(closed, ""), 1},
		{noAnswer, 1},
	} {
		t.Run(c.answer, func(t *testing.T) {
			t.Parallel()
			o := quiet(t)
			o.Heal = "live"
			client, conn := relayed(t, Options{Live: o})
			serve(t, conn, func(own bool, method string) string {
				switch {
				case !own && method == "click":
					return c.answer
				case method == "waitForSelector":
					return timedOut
				case method == "queryCount":
					return none
				}
				return nothingThere
			})
			awaitWorld(t, client)
			must(t, client.Send(clickOf(7, 0)))
			if got, want := string(receive(t, client)), strings.Replace(c.answer, "ID", "7", 1); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			must(t, client.Close())
			for end := time.Now().Add(5 * time.Second); c.events > 0 && len(readEvents(t, o.Events)) == 0 && time.Now().Before(end); {
				time.Sleep(10 * time.Millisecond)
			}
			if got := readEvents(t, o.Events); len(got) != c.events {
				t.Errorf("%d events, want %d: %+v", len(got), c.events, got)
			}
		})
	}
}

// The page reads and acts one after the other, and a call's time runs from when it is sent.
func TestReadingThePageTakesNothingOfAShortTimeout(t *testing.T) {
	const hangs = time.Hour
	for _, c := range []struct {
		timeout int
		reading time.Duration
		told    bool // before the call is sent
	}{
		{timeout: 1, reading: 50 * time.Millisecond, told: true},
		{timeout: 2000, reading: 50 * time.Millisecond, told: true},
		{timeout: 2001, reading: 2 * seenTime},
		{timeout: 2000, reading: hangs},
	} {
		t.Run(fmt.Sprintf("timeout %d, read in %v", c.timeout, c.reading), func(t *testing.T) {
			t.Parallel()
			client, conn := relayed(t, Options{Live: quiet(t)})
			var d *fakeDriver
			var told atomic.Bool
			sent := make(chan bool, 1)
			d = serve(t, conn, func(own bool, method string) string {
				switch {
				case !own:
					sent <- told.Load()
				case method == "textContent" && c.reading != hangs:
					question := d.idOf("own textContent")
					time.AfterFunc(c.reading, func() {
						told.Store(true)
						_ = d.say(strings.Replace(noAnswer, "ID", question, 1))
					})
				}
				return ""
			})
			awaitWorld(t, client)
			must(t, client.Send(clickOf(7, c.timeout)))
			select {
			case got := <-sent:
				if got != c.told {
					t.Errorf("told before the call is sent: %v, want %v", got, c.told)
				}
			case <-time.After(10 * seenTime):
				t.Error("the call is not sent")
			}
		})
	}
}

// A test ends with an assertion, and its client closes the page as soon as it has the answer.
func TestThePageIsAskedWhatAnAssertionFoundBeforeItCloses(t *testing.T) {
	client, conn := relayed(t, Options{Live: quiet(t)})
	d := serve(t, conn, func(own bool, method string) string {
		if own {
			return nothingThere
		}
		return `{"id":ID,"result":{"matches":true}}`
	})
	awaitWorld(t, client)
	for id, method := range []string{"expect", "close"} {
		must(t, client.Send([]byte(strings.Replace(string(clickOf(id, 5000)), `"click"`, `"`+method+`"`, 1))))
		if got, want := string(receive(t, client)), fmt.Sprintf(`{"id":%d,"result":{"matches":true}}`, id); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	asked, closed := slices.Index(d.got, "own textContent"), slices.Index(d.got, "close")
	if asked < 0 || asked > closed {
		t.Errorf("the driver got %q", d.got)
	}
}

// A driver may answer a read before the question of what it found, and a test that ends with
// a read closes its page, or all pages of its context, at once.
func TestAPageStaysOpenUntilItToldWhatACallFound(t *testing.T) {
	for _, guid := range []string{"page@1", "context@1", "browser@1"} {
		t.Run(guid, func(t *testing.T) {
			t.Parallel()
			client, conn := relayed(t, Options{Live: quiet(t)})
			var d *fakeDriver
			var told atomic.Bool
			early := make(chan bool, 1)
			d = serve(t, conn, func(own bool, method string) string {
				switch {
				case own:
					return "" // for now
				case method == "textContent":
					question := d.idOf("own textContent")
					time.AfterFunc(50*time.Millisecond, func() {
						told.Store(true)
						_ = d.say(strings.Replace(noAnswer, "ID", question, 1))
					})
				case method == "close":
					early <- !told.Load()
				}
				return done
			})
			awaitWorld(t, client)
			must(t, client.Send([]byte(strings.Replace(string(clickOf(1, 5000)), `"click"`, `"textContent"`, 1))))
			receive(t, client)
			must(t, client.Send(fmt.Appendf(nil, `{"id":2,"guid":%q,"method":"close","params":{},"metadata":{}}`, guid)))
			receive(t, client)
			if <-early {
				t.Errorf("%s was closed before the page had answered", guid)
			}
		})
	}
}

// What a call still looks for keeps no page open.
func TestAPageIsClosedUnderACallThatWaits(t *testing.T) {
	client, conn := relayed(t, Options{Live: quiet(t)})
	serve(t, conn, func(own bool, method string) string {
		if own || method == "close" {
			return done
		}
		return ""
	})
	awaitWorld(t, client)
	must(t, client.Send(clickOf(1, 5000)))
	start := time.Now()
	must(t, client.Send([]byte(`{"id":2,"guid":"page@1","method":"close","params":{},"metadata":{}}`)))
	if got := string(receive(t, client)); got != `{"id":2}` || time.Since(start) >= closeTime {
		t.Errorf("got %s after %v", got, time.Since(start))
	}
}

// countingLog counts what it is told.
type countingLog struct {
	mu   sync.Mutex
	said []string
}

func (l *countingLog) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said = append(l.said, string(text))
	return len(text), nil
}

func TestAfterAFaultEverythingPasses(t *testing.T) {
	for name, o := range map[string]Options{
		"a panic":     {TestOf: func(Call) Test { panic("a fault") }},
		"bad options": {},
	} {
		t.Run(name, func(t *testing.T) {
			log := &countingLog{}
			o.Log = slog.New(slog.NewTextHandler(log, nil))
			o.Live = quiet(t)
			if o.TestOf == nil {
				o.Live.Preset = "magic"
			}
			client, conn := relayed(t, o)
			d := serve(t, conn, func(bool, string) string { return timedOut })
			awaitWorld(t, client)
			for id := range 3 {
				must(t, client.Send(clickOf(id, 500)))
				if got, want := string(receive(t, client)), strings.Replace(timedOut, "ID", fmt.Sprint(id), 1); got != want {
					t.Errorf("got %s", got)
				}
			}
			if len(log.said) != 1 || d.calls("click") != 3 || d.calls("own textContent") > 0 {
				t.Errorf("said %q, calls %v", log.said, d.got)
			}
		})
	}
}
