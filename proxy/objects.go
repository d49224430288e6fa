package proxy

import (
	"encoding/json"
	"slices"
	"sync"
)

// maxObjects bounds the objects that are known; calls on one beyond pass unread.
const maxObjects = 20_000

// playwrightTimeout is how long a call waits where nobody says, in ms.
const playwrightTimeout = 30_000

// objects are the contexts, pages and frames that the driver told of, and what they are
// children of.
type objects struct {
	mu      sync.Mutex
	known   map[string]*object
	testIDs string // the attribute that getByTestId reads, where it was set for all contexts
	traced  bool   // a trace was begun

	selectors    bool           // selector engines are registered for all contexts at once, with an object
	unregistered []unregistered // what no selector engine was registered with
}

// unregistered is a new object that selector engines are registered with: in drivers since
// 1.53 a context, in older ones one of kind Selectors.
type unregistered struct{ kind, guid string }

// object is one of them.
type object struct {
	kind   string // "BrowserContext", "Page", "Frame"
	parent string // guid
	// Of a page: its frames, the main one first. Of others: the objects below.
	children []string
	page     string // of a frame
	url      string
	name     string
	timeout  *float64 // that was set for a context or page, in ms
	testIDs  string   // of a context
}

// followed are the kinds of objects that matter or have such below them.
var followed = map[string]bool{"BrowserType": true, "Browser": true, kindContext: true, "Page": true, "Frame": true}

// Kinds of objects that selector engines are registered with.
const (
	kindContext   = "BrowserContext"
	kindSelectors = "Selectors"
)

// initializer is what the driver tells of a new object.
type initializer struct {
	URL, Name   string
	MainFrame   struct{ GUID string }
	ParentFrame struct{ GUID string }
	Options     struct{ TestIDAttributeName string }
}

// events are what the driver tells that is followed. Each returns the pages that are closed
// by it.
var events = map[string]func(*objects, message) []string{
	"__create__":  func(o *objects, m message) []string { o.create(m.string(m.guid), m); return nil },
	"__adopt__":   func(o *objects, m message) []string { o.adopt(m.string(m.guid), m.guidOf("guid")); return nil },
	"__dispose__": func(o *objects, m message) []string { return o.dispose(m.string(m.guid)) },
	"navigated": func(o *objects, m message) []string {
		var to struct{ URL, Name string }
		if json.Unmarshal(m.params.of(m.text), &to) == nil {
			o.change(m.string(m.guid), func(x *object) { x.url, x.name = to.URL, to.Name })
		}
		return nil
	},
	"frameDetached": func(o *objects, m message) []string { return o.dispose(m.guidIn(m.params, "frame")) },
}

// noteEvent follows what the driver tells. It returns the pages that were closed by it.
func (o *objects) noteEvent(m message) (closed []string) {
	if follow := events[m.string(m.method)]; follow != nil {
		return follow(o, m)
	}
	return nil
}

// guidOf returns a guid that stands in the parameters.
func (m message) guidOf(name string) string {
	at, _ := m.field(m.params, name)
	return m.string(at)
}

func (o *objects) create(parent string, m message) {
	kind, guid := m.guidOf("type"), m.guidOf("guid")
	o.noteUnregistered(unregistered{kind, guid})
	if !followed[kind] || guid == "" {
		return
	}
	var about initializer
	at, _ := m.field(m.params, "initializer")
	if json.Unmarshal(at.of(m.text), &about) != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.known) >= maxObjects {
		return
	}
	x := &object{kind: kind, parent: parent, url: about.URL, name: about.Name, testIDs: about.Options.TestIDAttributeName}
	o.known[guid] = x
	switch {
	case kind == "Page":
		x.children = []string{about.MainFrame.GUID}
		if main := o.known[about.MainFrame.GUID]; main != nil {
			main.page = guid
		}
	case kind == "Frame" && about.ParentFrame.GUID != "":
		if above := o.known[about.ParentFrame.GUID]; above != nil && o.known[above.page] != nil {
			x.page = above.page
			o.addChild(above.page, guid)
			return
		}
	}
	o.addChild(parent, guid)
}

func (o *objects) noteUnregistered(u unregistered) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.selectors = o.selectors || u.kind == kindSelectors
	takes := u.kind == kindSelectors || u.kind == kindContext && !o.selectors
	if takes && len(o.unregistered) < maxObjects {
		o.unregistered = append(o.unregistered, u)
	}
}

func (o *objects) addChild(parent, guid string) {
	if above := o.known[parent]; above != nil && !slices.Contains(above.children, guid) {
		above.children = append(above.children, guid)
	}
}

func (o *objects) adopt(parent, guid string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	x := o.known[guid]
	if x == nil || x.parent == parent {
		return
	}
	o.removeChild(x.parent, guid)
	x.parent = parent
	o.addChild(parent, guid)
}

func (o *objects) removeChild(parent, guid string) {
	if above := o.known[parent]; above != nil {
		above.children = slices.DeleteFunc(above.children, func(child string) bool { return child == guid })
	}
}

// dispose forgets an object with everything below it, and returns the pages among them.
func (o *objects) dispose(guid string) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var pages []string
	for waiting := []string{guid}; len(waiting) > 0; {
		next := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		x := o.known[next]
		if x == nil {
			continue
		}
		delete(o.known, next)
		o.removeChild(x.parent, next)
		o.removeChild(x.page, next)
		waiting = append(waiting, x.children...)
		if x.kind == "Page" {
			pages = append(pages, next)
		}
	}
	return pages
}

func (o *objects) change(guid string, how func(*object)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if x := o.known[guid]; x != nil {
		how(x)
	}
}

// settings are the calls of a client that set something which others depend on.
var settings = map[string]func(*objects, message){
	"setDefaultTimeoutNoReply": func(o *objects, m message) {
		var set struct{ Timeout *float64 }
		if json.Unmarshal(m.params.of(m.text), &set) == nil {
			o.change(m.string(m.guid), func(x *object) { x.timeout = set.Timeout })
		}
	},
	"tracingStart": func(o *objects, _ message) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.traced = true
	},
	"setTestIdAttributeName": func(o *objects, m message) {
		name, guid := m.guidOf("testIdAttributeName"), m.string(m.guid)
		o.mu.Lock()
		defer o.mu.Unlock()
		if x := o.known[guid]; x != nil && x.kind == kindContext {
			x.testIDs = name
		} else {
			o.testIDs = name
		}
	},
}

// noteCall follows the settings that a client makes.
func (o *objects) noteCall(m message) {
	if follow := settings[m.string(m.method)]; follow != nil {
		follow(o, m)
	}
}

// place is where a frame stands.
type place struct {
	frame, page, context string
	timeout              float64 // of calls that name none, in ms; 0 is none
	testIDs              string  // the attribute that getByTestId reads, "" for the usual one
	traced               bool    // a trace of the calls may be kept
}

// placeOf returns where a frame stands, false for what is no frame of a known page.
func (o *objects) placeOf(frame string) (place, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	x := o.known[frame]
	if x == nil || x.kind != "Frame" || o.known[x.page] == nil {
		return place{}, false
	}
	page := o.known[x.page]
	p := place{frame: frame, page: x.page, context: page.parent, timeout: playwrightTimeout, testIDs: o.testIDs, traced: o.traced}
	if c := o.known[page.parent]; c != nil {
		if c.testIDs != "" {
			p.testIDs = c.testIDs
		}
		if c.timeout != nil {
			p.timeout = *c.timeout
		}
	}
	if page.timeout != nil {
		p.timeout = *page.timeout
	}
	return p, true
}

// framesOf returns the guids of a page's frames, the main one first.
func (o *objects) framesOf(page string) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	x := o.known[page]
	if x == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(x.children), func(guid string) bool {
		f := o.known[guid]
		return f == nil || f.kind != "Frame"
	})
}

// framesWith returns the guids of all frames of the page that a frame is of.
func (o *objects) framesWith(frame string) []string {
	at, _ := o.placeOf(frame)
	return o.framesOf(at.page)
}

// urlAndName returns what is known of a frame.
func (o *objects) urlAndName(frame string) (url, name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if x := o.known[frame]; x != nil {
		return x.url, x.name
	}
	return "", ""
}
