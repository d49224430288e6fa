package proxy

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"time"
)

// takeFromClient returns what the driver gets for a message of the client.
func (r *relay) takeFromClient(text []byte) [][]byte {
	pass := [][]byte{text}
	if r.passive.Load() {
		return pass
	}
	r.registerReader()
	m, ok := readMessage(text)
	if !ok {
		return pass
	}
	r.objects.noteCall(m)
	if closing[m.string(m.method)] {
		r.awaitLearning(m.string(m.guid))
	}
	c := r.readCall(m)
	if c == nil || !r.addCall(c) {
		return pass
	}
	if c.byWorker && m.has(m.read) {
		c.told = r.questions.await(m.read.of(text))
	}
	r.work.Go(c.run)
	// The calls of a client keep their order, but for one that is looked into first.
	select {
	case <-c.sent:
	case <-time.After(orderTime):
	}
	return nil
}

// orderTime is how long a client's next call waits until the one before it is sent.
const orderTime = 100 * time.Millisecond

// closing are the methods that take pages away (packages/protocol/src/protocol.yml).
var closing = map[string]bool{"close": true, "newContextForReuse": true, "disconnectFromReusedContext": true, "resetForReuse": true}

// closeTime is how long pages stay open for what they are asked about elements that calls
// have found.
const closeTime = time.Second

// awaitLearning waits until the pages of an object that a client closes have told what
// calls found there: a driver may answer the call first, and a test that ends with it closes
// its page at once.
func (r *relay) awaitLearning(guid string) {
	pages, late := r.objects.pagesOf(guid), false
	timer := time.AfterFunc(closeTime, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		late = true
		r.learned.Broadcast()
	})
	defer timer.Stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	for !late && slices.ContainsFunc(pages, func(page string) bool { return r.learning[page] > 0 }) {
		r.learned.Wait()
	}
}

// pagesOf returns the guids of the pages that an object is or has below it.
func (o *objects) pagesOf(guid string) (pages []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	waiting := []string{guid}
	for n := 0; len(waiting) > 0 && n < maxObjects; n++ {
		next := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		switch x := o.known[next]; {
		case x == nil:
		case x.kind == "Page":
			pages = append(pages, next)
		default:
			waiting = append(waiting, x.children...)
		}
	}
	return pages
}

// noteAnswered notes that a call is answered: until it ends, its page is asked what it found.
func (r *relay) noteAnswered(c *call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !c.ended {
		c.answered = true
		r.learning[c.place.page]++
	}
}

// maxCalls bounds the calls that are followed at once; more pass.
const maxCalls = 10_000

func (r *relay) addCall(c *call) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended || len(r.calls) >= maxCalls || r.calls[c.id] != nil {
		return false
	}
	r.calls[c.id] = c
	return true
}

// takeCall returns the call of an id and forgets it, nil for none.
func (r *relay) takeCall(id string) *call {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.calls[id]
	delete(r.calls, id)
	return c
}

// takeFromDriver returns what the client gets for a message of the driver.
func (r *relay) takeFromDriver(text []byte) [][]byte {
	m, ok := readMessage(text)
	if !ok {
		return [][]byte{text}
	}
	id := m.id.of(text)
	if !m.has(m.id) {
		if !r.passive.Load() {
			r.closePages(r.objects.noteEvent(m))
		}
		return r.screen.pass(m, r.questions.makesObjects())
	}
	if r.isOwn(id) {
		return r.takeAnswer(id, m)
	}
	if c := r.takeCall(string(id)); c != nil {
		r.noteAnswered(c)
		held := c.holds(m)
		a := answer{message: m, passed: !held, read: !c.byWorker && c.hasRead()}
		if c.byWorker && m.has(m.read) {
			a.again = r.questions.await(m.read.of(text))
		}
		c.answers <- a
		if held {
			return nil
		}
	}
	return r.screen.pass(m, r.questions.makesObjects())
}

// closePages ends the use of pages that are closed by their tests.
func (r *relay) closePages(pages []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, guid := range pages {
		if t, used := r.tests[guid]; used {
			delete(r.tests, guid)
			r.work.Go(func() { r.closeTest(t.Test, guid) })
		}
	}
}

// isOwn reports whether an id is of the proxy's own questions, or of one that it awaits.
func (r *relay) isOwn(id []byte) bool {
	return len(id) > 0 && (bytes.HasPrefix(id[1:], []byte(r.questions.secret)) || r.questions.has(id))
}

// takeAnswer hands the answer to one of the proxy's own questions to who asked. It returns
// what was held back from the client until now.
func (r *relay) takeAnswer(id []byte, m message) [][]byte {
	q, ok := r.questions.take(id)
	if !ok {
		return nil
	}
	var released [][]byte
	if q.makes {
		made := m.guidIn(m.result, "handle")
		if made == "" {
			made = m.guidIn(m.result, "element")
		}
		released = r.screen.claim(made, r.questions.makesObjects())
	}
	q.answer <- m
	return released
}

// maxHead is how much of a long message is looked at, in bytes.
const maxHead = 4 << 10

// passLong passes a message that is too long to hold. One that answers a question of the
// proxy's own is thrown away.
func (r *relay) passLong(from Conn, long *TooLong, to Conn) error {
	head := make([]byte, maxHead)
	n, err := io.ReadFull(long.Body, head)
	if err != nil {
		return err
	}
	head = head[:n]
	if from == r.driver {
		if id := idAtStart(head); r.isOwn(id) {
			r.questions.drop(id)
			_, err := io.Copy(io.Discard, long.Body)
			return err
		} else if c := r.takeCall(string(id)); c != nil {
			defer func() { c.answers <- answer{passed: true} }()
		}
	}
	lock := &r.driverSend
	if to == r.client {
		lock = &r.clientSend
	}
	lock.Lock()
	defer lock.Unlock()
	return sendStream(to, &TooLong{Size: long.Size, Body: io.MultiReader(bytes.NewReader(head), long.Body)})
}

// sendStream sends the message of an error of Receive to a connection.
func sendStream(to Conn, m *TooLong) error {
	if s, ok := to.(streamSender); ok {
		return s.SendStream(m.Size, m.Body)
	}
	return errors.Join(errors.New("the connection takes no long messages"), m)
}

// idAtStart returns the id of an answer from its beginning: the driver writes it first.
func idAtStart(head []byte) (id []byte) {
	rest, ok := bytes.CutPrefix(head, []byte(`{"id":`))
	if !ok {
		return nil
	}
	if end := bytes.IndexAny(rest, ",}"); end > 0 {
		return rest[:end]
	}
	return nil
}

// drop ends a question without an answer.
func (q *questions) drop(id []byte) {
	if x, ok := q.take(id); ok {
		close(x.answer)
	}
}
