package proxy

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

const (
	shows  = `{"id":"w-1","result":{"value":"engine\n{\"target\":1,\"at\":\"http://shop.example/\"}\n[{\"p\":-1,\"t\":\"body\",\"a\":[],\"v\":1},{\"p\":0,\"t\":\"a\",\"a\":[[\"id\",\"a\"]],\"x\":\"Pay\",\"b\":[0,0,10,10],\"v\":1}]"}}`
	empty  = `{"id":"w-1","result":{"value":"engine\n"}}`
	failed = `{"id":ID,"error":{"error":{"name":"Error","message":"strict mode violation"}}}`
	gone   = `{"id":"w-1","error":{"error":{"name":"Error","message":"the frame was detached"}}}`
)

// madeOf returns a call that its worker made already, and has asked the page behind.
func madeOf(id, timeout int, method string) []byte {
	return []byte(strings.NewReplacer(`{"id"`, `{"made":true,"read":["w-1"],"id"`, `"click"`, `"`+method+`"`).Replace(string(clickOf(id, timeout))))
}

// relayedUntil is relayed with an end: it returns when what was learned is saved.
func relayedUntil(t *testing.T, o Options) (client, driver *Pipe, end func()) {
	t.Helper()
	client, clientSide := ends()
	driver, driverSide := ends()
	ended := make(chan error, 1)
	go func() { ended <- Relay(t.Context(), clientSide, driverSide, o) }()
	return client, driver, func() {
		_, _ = client.Close(), driver.Close()
		<-ended
	}
}

// What a worker had the page asked is learned, and the page is asked nothing more.
func TestWhatAWorkerAskedIsLearned(t *testing.T) {
	for name, c := range map[string]struct {
		method, told string
		timeout      int
		learned      bool
	}{
		"a click":                       {"click", shows, 5000, true},
		"a click without a timeout":     {"click", shows, 0, true},
		"a fill without a timeout":      {"fill", shows, 0, true},
		"an assertion":                  {"expect", shows, 5000, true},
		"nothing, or several":           {"click", empty, 5000, false},
		"a page that is gone":           {"click", gone, 5000, false},
		"an assertion on what it lacks": {"expect", empty, 5000, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := Options{Live: quiet(t), Reader: "engine", TestOf: func(c Call) Test { return Test{ID: c.Page} }}
			o.Live.Heal = "live"
			client, conn, end := relayedUntil(t, o)
			d := serve(t, conn, func(own bool, method string) string {
				if own {
					return nothingThere
				}
				return done
			})
			awaitWorld(t, client)
			must(t, client.Send(madeOf(7, c.timeout, c.method)))
			if got := string(receive(t, client)); got != `{"id":7}` {
				t.Errorf("got %s", got)
			}
			must(t, d.say(c.told))
			must(t, client.Send([]byte(`{"id":8,"guid":"page@1","method":"close","params":{}}`)))
			if got := string(receive(t, client)); got != `{"id":8}` {
				t.Errorf("the tests heard %s", got)
			}
			must(t, d.say(`{"guid":"page@1","method":"__dispose__","params":{}}`))
			receive(t, client)
			for method := range healed {
				if d.calls("own "+method) > 0 {
					t.Errorf("it asked by itself: %v", d.got)
				}
			}
			if d.calls(c.method) != 1 {
				t.Errorf("the call was made %d times", d.calls(c.method))
			}
			end()
			if learned := slices.Contains(learnedBy(t, o.Live.DB), "page@1"); learned != c.learned {
				t.Errorf("learned %t, want %t", learned, c.learned)
			}
		})
	}
}

// A call that waited is learned as the page showed its element when that had come, and an
// assertion when it held. What is told when the page is closed already counts too.
func TestTheSecondAnswerCountsOfACallThatWaited(t *testing.T) {
	const closed = `{"guid":"page@1","method":"__dispose__","params":{}}`
	told := strings.Replace(shows, "w-1", "w-2", 1)
	for _, method := range []string{"expect", "click"} {
		t.Run(method+", then the page closes", func(t *testing.T) { askAgain(t, method, told, closed) })
		t.Run(method+" as the page closes", func(t *testing.T) { askAgain(t, method, closed, told) })
	}
}

func askAgain(t *testing.T, made string, last ...string) {
	t.Helper()
	t.Parallel()
	o := Options{Live: quiet(t), Reader: "engine", TestOf: func(c Call) Test { return Test{ID: c.Page} }}
	client, conn, end := relayedUntil(t, o)
	got := make(chan bool, 1)
	d := serve(t, conn, func(own bool, method string) string {
		if !own && method == made {
			got <- true
			return empty
		}
		return nothingThere
	})
	awaitWorld(t, client)
	must(t, client.Send(madeOf(7, 5000, made)))
	<-got
	must(t, d.say(`{"id":7,"read":["w-2"]}`))
	if got := string(receive(t, client)); got != `{"id":7,"read":["w-2"]}` {
		t.Errorf("got %s", got)
	}
	for _, text := range append(last, `{"guid":"","method":"last","params":{}}`) {
		must(t, d.say(text))
		if !strings.Contains(text, "w-2") { // which is the relay's
			receive(t, client)
		}
	}
	end()
	if !slices.Contains(learnedBy(t, o.Live.DB), "page@1") {
		t.Error("not learned")
	}
}

// A call that was made and has lost its element is healed as any other.
func TestAMadeCallIsHealedAfterItsTime(t *testing.T) {
	t.Parallel()
	o := Options{Live: quiet(t), Reader: "engine"}
	o.Live.Heal = "live"
	client, conn := relayed(t, o)
	got := make(chan bool, 1)
	d := serve(t, conn, func(own bool, method string) string {
		switch {
		case !own:
			got <- true
			return empty
		case method == "queryCount":
			return none
		}
		return nothingThere
	})
	awaitWorld(t, client)
	must(t, client.Send(madeOf(7, 5000, "click")))
	<-got
	must(t, d.say(strings.Replace(timedOut, "ID", "7", 1)))
	if got, want := string(receive(t, client)), strings.Replace(timedOut, "ID", "7", 1); got != want {
		t.Errorf("got %s", got)
	}
	if d.calls("own queryCount") == 0 {
		t.Errorf("nobody looked for it: %v", d.got)
	}
}

// A call that has no timeout of its own is given one by its worker. When that ran out its
// element is looked for, and where it is not healed the call is made as the test wrote it.
func TestACallThatItsWorkerGaveATimeoutIsAsIfItWereNotMade(t *testing.T) {
	for name, c := range map[string]struct {
		within, answer string
		want           string // that the tests hear
		made           int
	}{
		"it found its element":          {`"within":10,`, done, `{"id":7}`, 1},
		"it failed for another reason":  {`"within":10,`, failed, failed, 1},
		"it ran out of that time":       {`"within":10,`, timedOut, `{"id":7}`, 2},
		"it ran out of its own timeout": {"", timedOut, timedOut, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := Options{Live: quiet(t), Reader: "engine"}
			o.Live.Heal = "live"
			client, conn := relayed(t, o)
			var made atomic.Int32
			var d *fakeDriver
			d = serve(t, conn, func(own bool, method string) string {
				switch {
				case own && method == "queryCount":
					return none
				case own:
					return nothingThere
				case made.Add(1) == 1:
					must(t, d.say(empty))
					return c.answer
				}
				return done
			})
			awaitWorld(t, client)
			timeout := 0
			if c.within == "" {
				timeout = 10
			}
			must(t, client.Send([]byte(strings.Replace(string(madeOf(7, timeout, "fill")), `{"made"`, `{`+c.within+`"made"`, 1))))
			if got, want := string(receive(t, client)), strings.Replace(c.want, "ID", "7", 1); got != want {
				t.Errorf("the tests heard %s, want %s", got, want)
			}
			if n := d.calls("fill"); n != c.made {
				t.Errorf("the call was made %d times, want %d", n, c.made)
			}
			if looked := d.calls("own queryCount") > 0; looked != (c.answer == timedOut) {
				t.Errorf("looked for: %t", looked)
			}
		})
	}
}

// Where no worker makes calls itself, its words mean nothing.
func TestNobodyElseMakesCalls(t *testing.T) {
	t.Parallel()
	client, conn := relayed(t, Options{Live: quiet(t)})
	asked := make(chan bool, 1)
	d := serve(t, conn, func(own bool, method string) string {
		if method == readMethod {
			asked <- true
		}
		if own {
			return nothingThere
		}
		return done
	})
	awaitWorld(t, client)
	must(t, client.Send(madeOf(7, 5000, "click")))
	if got := string(receive(t, client)); got != `{"id":7}` {
		t.Errorf("got %s", got)
	}
	must(t, d.say(shows))
	if got := string(receive(t, client)); got != shows {
		t.Errorf("got %s", got)
	}
	<-asked // by the relay itself
}
