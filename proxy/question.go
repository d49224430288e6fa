package proxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
)

// maxQuestions bounds the proxy's own questions that wait for an answer: a page that
// hangs answers none.
const maxQuestions = 1000

var (
	errEnded   = errors.New("the connection has ended")
	errCrowded = errors.New("too many questions wait for an answer")
	errRefused = errors.New("the driver refused")
)

// questions are the proxy's own calls that the driver has not answered. Their ids begin
// with a secret, so that no client's can be the same.
type questions struct {
	secret string
	mu     sync.Mutex
	next   int
	open   map[string]question // by the JSON text of the id
	ended  bool
}

// question is one of them.
type question struct {
	answer chan message
	makes  bool // its answer is a new object
}

// add returns a new question with the JSON text of its id.
func (q *questions) add(makes bool) (id string, added question, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.ended:
		return "", question{}, errEnded
	case len(q.open) >= maxQuestions:
		return "", question{}, errCrowded
	}
	q.next++
	id = strconv.Quote(q.secret + strconv.Itoa(q.next))
	added = question{answer: make(chan message, 1), makes: makes}
	q.open[id] = added
	return id, added, nil
}

// await adds questions that were asked by another one, under a JSON list of their ids. It
// returns what waits for each, and nothing where one is open already.
func (q *questions) await(list []byte) (answers []func() (message, error)) {
	var ids []json.RawMessage
	if json.Unmarshal(list, &ids) != nil {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	isOpen := func(id json.RawMessage) bool { _, open := q.open[string(id)]; return open }
	if q.ended || len(q.open)+len(ids) > maxQuestions || slices.ContainsFunc(ids, isOpen) {
		return nil
	}
	for _, id := range ids {
		added := question{answer: make(chan message, 1)}
		q.open[string(id)] = added
		answers = append(answers, func() (message, error) { return added.wait(readMethod) })
	}
	return answers
}

// has reports whether a question is open.
func (q *questions) has(id []byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, open := q.open[string(id)]
	return open
}

// take returns the question of an id and forgets it.
func (q *questions) take(id []byte) (question, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	x, ok := q.open[string(id)]
	delete(q.open, string(id))
	return x, ok
}

// end answers all questions with nothing.
func (q *questions) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	for id, x := range q.open {
		close(x.answer)
		delete(q.open, id)
	}
}

// makesObjects reports whether a question is open whose answer is a new object.
func (q *questions) makesObjects() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, x := range q.open {
		if x.makes {
			return true
		}
	}
	return false
}

// makers are the methods whose answer is a new object.
var makers = map[string]bool{"evaluateExpressionHandle": true, "querySelector": true}

// ask calls a method of an object, and returns a function that waits for its result. The
// time that the call may take is in ms.
func (r *relay) ask(guid, method string, params map[string]any, timeout float64) func() (message, error) {
	id, q, err := r.questions.add(makers[method])
	if err != nil {
		return func() (message, error) { return message{}, err }
	}
	params["timeout"] = timeout // where older drivers look for it, newer ones in metadata
	text, err := json.Marshal(map[string]any{"id": json.RawMessage(id), "guid": guid, "method": method, "params": params,
		"metadata": map[string]any{"internal": true, "timeout": timeout}})
	if err == nil {
		err = r.toDriver(text)
	}
	if err != nil {
		r.questions.take([]byte(id))
		return func() (message, error) { return message{}, fmt.Errorf("%s: %w", method, err) }
	}
	return func() (message, error) { return q.wait(method) }
}

// wait waits for the answer to a call of a method.
func (q question) wait(method string) (message, error) {
	m, ok := <-q.answer
	switch {
	case !ok:
		return m, errEnded
	case m.has(m.fault):
		return m, fmt.Errorf("%s: %w: %.300s", method, errRefused, m.fault.of(m.text))
	}
	return m, nil
}

// repeat sends a client's call again with some parts replaced, under an id of the proxy's
// own, and returns the answer under the client's. What the call makes is the client's.
func (r *relay) repeat(m message, edits ...edit) (message, error) {
	id, q, err := r.questions.add(false)
	if err != nil {
		return message{}, err
	}
	if err := r.toDriver(m.edited(append(edits, edit{m.id, []byte(id)})...)); err != nil {
		return message{}, err
	}
	answer, ok := <-q.answer
	if !ok {
		return message{}, errEnded
	}
	again, ok := readMessage(answer.edited(edit{answer.id, m.id.of(m.text)}))
	if !ok {
		return message{}, errEnded
	}
	return again, nil
}
