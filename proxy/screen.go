package proxy

import (
	"bytes"
	"sync"
)

// maxOwn bounds the objects that the proxy keeps from the client.
const maxOwn = 10_000

// screen keeps from the client the objects that the proxy's own questions make. A handle
// is created before the answer that says whose it is, so handles are held back while such
// a question is open, and nothing else: what speaks of one of them lets it pass first.
type screen struct {
	mu   sync.Mutex
	held []heldObject
	own  map[string]bool // guids
}

// heldObject is an object whose owner is not known yet, with all that was said by it.
type heldObject struct {
	guid  string
	texts [][]byte
}

// pass returns the messages that the client gets when the driver sends an event or an
// answer to the client. making is whether a question is open whose answer is an object.
func (s *screen) pass(m message, making bool) [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.own) == 0 && len(s.held) == 0 && !making {
		return [][]byte{m.text}
	}
	guid, method := m.string(m.guid), m.string(m.method)
	if s.own[guid] {
		if method == "__dispose__" {
			delete(s.own, guid)
		}
		return nil
	}
	if !making {
		return append(s.release(nil), m.text)
	}
	if method == "__create__" {
		if kind := m.guidOf("type"); kind == "JSHandle" || kind == "ElementHandle" {
			s.held = append(s.held, heldObject{m.guidOf("guid"), [][]byte{m.text}})
			return nil
		}
	}
	for i := range s.held {
		if s.held[i].guid == guid {
			s.held[i].texts = append(s.held[i].texts, m.text)
			return nil
		}
	}
	return append(s.release(m.text), m.text)
}

// release returns what was held back of the objects that a text speaks of, of all for nil.
func (s *screen) release(text []byte) (passed [][]byte) {
	kept := s.held[:0]
	for _, h := range s.held {
		if text == nil || bytes.Contains(text, []byte(h.guid)) {
			passed = append(passed, h.texts...)
		} else {
			kept = append(kept, h)
		}
	}
	s.held = kept
	return passed
}

// claim makes an object the proxy's own, if it was created while the question for it was
// open. It returns what the client gets, now that making says whether another such
// question is open.
func (s *screen) claim(guid string, making bool) [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, h := range s.held {
		if h.guid == guid && len(s.own) < maxOwn {
			s.own[guid] = true
			s.held = append(s.held[:i], s.held[i+1:]...)
			break
		}
	}
	if making {
		return nil
	}
	return s.release(nil)
}

// owns reports whether an object is the proxy's own.
func (s *screen) owns(guid string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.own[guid]
}

// forget forgets an object that is gone.
func (s *screen) forget(guid string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.own, guid)
}
