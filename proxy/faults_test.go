package proxy

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Each end comes while a call and the proxy's own questions have no answer.
func TestTheRelayEndsWithEitherSide(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("once", func(t *testing.T) {
		for _, timeout := range []int{0, 500} {
			for name, end := range map[string]func(client, driver Conn, cancel func()){
				"the client vanishes":   func(client, _ Conn, _ func()) { _ = client.Close() },
				"the driver is killed":  func(_, driver Conn, _ func()) { _ = driver.Close() },
				"the command is ending": func(_, _ Conn, cancel func()) { cancel() },
			} {
				t.Run(fmt.Sprint(name, timeout), func(t *testing.T) {
					t.Parallel() // two of them wait until a driver without a client has had its time
					client, clientSide := ends()
					driver, driverSide := ends()
					ctx, cancel := context.WithCancel(context.Background())
					defer cancel()
					over := make(chan error, 1)
					go func() { over <- Relay(ctx, clientSide, driverSide, Options{Live: quiet(t)}) }()
					d := serve(t, driver, func(own bool, method string) string { return "" })
					awaitWorld(t, client)
					must(t, client.Send(clickOf(1, timeout)))
					for d.calls("own textContent")+d.calls("own queryCount") == 0 {
						time.Sleep(time.Millisecond)
					}
					end(client, driver, cancel)
					select {
					case <-over:
					case <-time.After(time.Minute):
						t.Fatal("the relay goes on")
					}
					_, _ = client.Close(), driver.Close()
				})
			}
		}
	})
	for range 600 {
		if runtime.NumGoroutine() <= before+1 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	text := make([]byte, 1<<20)
	t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, text[:runtime.Stack(text, true)])
}

func TestASlowReaderGetsEverythingInOrder(t *testing.T) {
	const messages = 400
	client, driver := relayed(t, Options{Live: quiet(t)})
	go func() {
		for i := range messages {
			if driver.Send(fmt.Appendf(nil, `{"guid":"page@1","method":"e%d","params":{"x":"%s"}}`, i, strings.Repeat("y", 20_000))) != nil {
				return
			}
		}
	}()
	for i := range messages {
		if i%100 == 0 {
			time.Sleep(50 * time.Millisecond)
		}
		if m, _ := readMessage(receive(t, client)); m.string(m.method) != fmt.Sprintf("e%d", i) {
			t.Fatalf("message %d is %.80s", i, m.text)
		}
	}
}

// The first long answer is the client's, the second one to a question of the proxy's own.
func TestLongMessagesPassUnread(t *testing.T) {
	client, driver := relayed(t, Options{Live: quiet(t)})
	for _, text := range world {
		must(t, driver.Send([]byte(text)))
		receive(t, client)
	}
	must(t, client.Send(clickOf(1, 500)))
	var own string
	for {
		m, _ := readMessage(receive(t, driver))
		if m.string(m.method) == "click" {
			break
		}
		own = string(m.id.of(m.text))
	}
	filler := strings.Repeat("z", maxMessage)
	long := []byte(`{"id":1,"result":{"binary":"` + filler + `"}}`)
	go func() {
		_ = driver.Send([]byte(`{"id":` + own + `,"result":{"value":{"s":"` + filler + `"}}}`))
		_ = driver.Send(long)
	}()
	in, out := client.in, 0
	head := make([]byte, 4)
	for out < 4 {
		n, err := in.Read(head[out:])
		must(t, err)
		out += n
	}
	got := make([]byte, 0, len(long))
	for len(got) < len(long) {
		part := make([]byte, 1<<20)
		n, err := in.Read(part[:min(len(part), len(long)-len(got))])
		must(t, err)
		got = append(got, part[:n]...)
	}
	if !bytes.Equal(got, long) {
		t.Errorf("got %.80s", got)
	}
}

func TestHandlesOfTheProxysOwnAreHidden(t *testing.T) {
	create := func(guid string) string {
		return `{"guid":"frame@1","method":"__create__","params":{"type":"JSHandle","initializer":{},"guid":"` + guid + `"}}`
	}
	preview := `{"guid":"handle@own","method":"previewUpdated","params":{"preview":"x"}}`
	s := &screen{own: map[string]bool{}}
	var seen []string
	pass := func(text string) {
		m, _ := readMessage([]byte(text))
		for _, out := range s.pass(m, true) {
			seen = append(seen, string(out))
		}
	}
	pass(create("handle@own"))
	pass(create("handle@theirs"))
	pass(preview)
	pass(`{"guid":"page@1","method":"load"}`)
	pass(`{"id":4,"result":{"handle":{"guid":"handle@theirs"}}}`)
	pass(create("handle@later"))
	for _, out := range s.claim("handle@own", false) {
		seen = append(seen, string(out))
	}
	pass(preview)
	pass(`{"guid":"handle@own","method":"__dispose__","params":{}}`)
	want := []string{`{"guid":"page@1","method":"load"}`, create("handle@theirs"), `{"id":4,"result":{"handle":{"guid":"handle@theirs"}}}`, create("handle@later")}
	if strings.Join(seen, "\n") != strings.Join(want, "\n") {
		t.Errorf("the client sees\n%s\nwant\n%s", strings.Join(seen, "\n"), strings.Join(want, "\n"))
	}
	if s.owns("handle@own") {
		t.Error("a handle that is gone is kept")
	}
}

// What the driver says reaches the client as it is, whatever it is.
func FuzzDriverMessagesPass(f *testing.F) {
	f.Add(strings.Join(world, "\n"))
	f.Add(`{"guid":"page@1","method":"frameDetached","params":{"frame":{"guid":"frame@1"}}}` + "\n" + `{"guid":"browser@1","method":"__dispose__"}` + "\nnull\n[")
	f.Add(strings.Join(world, "\n") + "\n" + `{"guid":"frame@1","method":"__adopt__","params":{"guid":"page@1"}}` + "\n" + `{"guid":"page@1","method":"__dispose__"}`)
	f.Fuzz(func(t *testing.T, lines string) {
		r := newRelay(nil, nil, Options{})
		for line := range strings.Lines(lines) {
			if out := r.tryToTake([]byte(line), r.takeFromDriver); len(out) != 1 || string(out[0]) != line {
				t.Fatalf("%q became %q", line, out)
			}
			m, _ := readMessage([]byte(line))
			_ = r.readCall(m)
			r.objects.noteCall(m)
			_ = page{r, m.string(m.guid)}.Frames()
		}
		if r.passive.Load() {
			t.Fatal("a fault")
		}
	})
}

// A pipe reads what it is given, or stops, and holds no more than came.
func FuzzPipe(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x00{}\x00\x00\x00\x00"))
	f.Add([]byte("\xff\xff\xff\xff{}"))
	f.Fuzz(func(t *testing.T, wire []byte) {
		p := NewPipe(bytes.NewReader(wire), nil)
		var again bytes.Buffer
		for {
			text, err := p.Receive()
			if err != nil {
				break
			}
			must(t, NewPipe(nil, &again).Send(text))
		}
		if !bytes.HasPrefix(wire, again.Bytes()) {
			t.Fatalf("%q became %q", wire, again.Bytes())
		}
	})
}

// The time that a message takes in the proxy: events of the driver, and calls that are
// not looked into.
func BenchmarkMessage(b *testing.B) {
	r := newRelay(nil, nil, Options{})
	for _, text := range world {
		r.takeFromDriver([]byte(text))
	}
	for name, text := range map[string]string{
		"event":      `{"guid":"frame@1","method":"navigated","params":{"url":"http://shop.example/cart","name":"","newDocument":{}}}`,
		"answer":     `{"id":5,"result":{"value":"Sign in"}}`,
		"screenshot": `{"id":5,"result":{"binary":"` + strings.Repeat("iVBORw0KGgo", 100_000) + `"}}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.takeFromDriver([]byte(text))
			}
		})
	}
}
