package githubtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// MaxBodyChars is the most characters a comment or review body may have.
const MaxBodyChars = 65536

// Options configure a [Server]. The zero value is an empty github.com.
type Options struct {
	State State
	// Fork makes every token read-only, as on a pull request from a fork.
	Fork bool
	// Prefix is the path before every route: "/api/v3" makes the server a GHES,
	// whose GraphQL is at /api/graphql.
	Prefix string
	// Now is the time of new things; nil is always 2026-01-01 00:00 UTC.
	Now func() time.Time
	// WebURL is where html_url points, "https://github.com" when empty.
	WebURL string
	// ListingLag is how long artifacts and caches are not listed yet.
	ListingLag time.Duration
	// CommentLag is how long comments are not listed yet.
	CommentLag time.Duration
}

// Server is an in-memory GitHub. It is safe for concurrent use.
type Server struct {
	options Options
	table   []route

	mu       sync.Mutex
	state    State
	faults   []*Fault
	requests []Request
	window   window
	storage  string            // address of Results
	jobs     map[string]JobRun // by runtime token
	uploads  map[string]*blob  // by path

	described *Description    // nil: nothing is checked
	checked   map[string]bool // operations
}

// Request is one request that was answered, in the order of arrival.
type Request struct {
	Method string
	Path   string // without Options.Prefix
	Query  string
	Body   string
	Login  string // who asked, "" without a known token
	Status int    // of the answer, 0 when the connection was dropped
}

// New returns a server that keeps a copy of o.State.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }
	}
	if o.WebURL == "" {
		o.WebURL = "https://github.com"
	}
	s := &Server{options: o, state: copyState(o.State), jobs: map[string]JobRun{}, uploads: map[string]*blob{}, checked: map[string]bool{}}
	s.routes()
	var err error
	if s.described, err = FindDescription(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		panic(err)
	}
	return s
}

// call is one request being answered, with the state locked.
type call struct {
	*http.Request
	token Token
	base  string // address of the API as the client sees it
	web   string // address of the web pages
	body  []byte
	now   time.Time
}

// action answers a call with a value for JSON, or a failure.
type action func(w http.ResponseWriter, c *call) (any, error)

// handler authenticates, locks the state and writes the answer.
func (s *Server) handler(do action) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		token, known := s.tokenOf(r)
		if !known {
			reply(w, &failure{Status: http.StatusUnauthorized, Message: "Bad credentials"})
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			reply(w, &failure{Status: http.StatusBadRequest, Message: "Problems parsing JSON"})
			return
		}
		scheme := "http"
		if r.TLS != nil {
			scheme = "https"
		}
		c := &call{Request: r, token: token, body: body, now: s.options.Now().UTC(),
			base: scheme + "://" + r.Host + s.options.Prefix, web: s.options.WebURL}
		answer, err := do(w, c)
		if err != nil {
			reply(w, asFailure(err))
			return
		}
		if answer != nil {
			writeAnswer(w, answer)
		}
	})
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.serve(w, r, func(w http.ResponseWriter, r *http.Request) {
		if over := s.spend(w.Header()); over != nil {
			over.write(w)
			return
		}
		s.dispatch(w, r)
	})
}

// serve answers with do, or with the fault that is planted.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, do http.HandlerFunc) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.URL.Path = s.route(r.URL.Path)
	r.URL.RawPath = ""
	at := s.log(r, body)
	fault := s.nextFault(r, body)
	answer := httptest.NewRecorder()
	switch {
	case fault != nil && fault.Drop == DropBefore:
		panic(http.ErrAbortHandler)
	case fault != nil && fault.Drop == DropNone:
		s.spend(answer.Header())
		fault.write(answer)
	default:
		do(answer, r)
		s.compare(r, body, answer)
	}
	if fault != nil && fault.Drop != DropNone {
		fault.drop(w, answer)
	}
	s.logStatus(at, answer.Code)
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// compare ends the test, whatever it looks at, when a request that was carried
// out or its answer is not as GitHub describes it. The results service is
// described nowhere.
func (s *Server) compare(r *http.Request, body []byte, answer *httptest.ResponseRecorder) {
	if s.described == nil || strings.HasPrefix(r.URL.Path, "/twirp/") || strings.HasPrefix(r.URL.Path, "/blob/") {
		return
	}
	operation, err := s.described.Check(r, body, answer)
	if err != nil {
		err = fmt.Errorf("githubtest: %s %s: %w", r.Method, r.URL.Path, err)
		go func() { panic(err) }() // net/http would recover from it here
		select {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if operation != "" {
		s.checked[operation] = true
	}
}

// Checked returns the operations, as GitHub's description names them, of the
// requests so far that were checked against it.
func (s *Server) Checked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.checked))
}

// route returns the path within the API; one outside of it has no route.
func (s *Server) route(p string) string {
	if s.options.Prefix == "" {
		return p
	}
	if p == path.Dir(s.options.Prefix)+"/graphql" {
		return "/graphql"
	}
	rest, ok := strings.CutPrefix(p, s.options.Prefix)
	if !ok || rest == "/graphql" {
		return "/outside"
	}
	return rest
}

// tokenOf returns the token of a request and whether it is known.
func (s *Server) tokenOf(r *http.Request) (Token, bool) {
	kind, value, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || value == "" || !strings.EqualFold(kind, "bearer") && !strings.EqualFold(kind, "token") {
		return Token{}, false
	}
	if len(s.state.Tokens) == 0 {
		return Token{Token: value, Login: "github-actions[bot]", Installation: true}, true
	}
	for _, t := range s.state.Tokens {
		if t.Token == value {
			return t, true
		}
	}
	return Token{}, false
}

// log keeps the request and returns its place in the log.
func (s *Server) log(r *http.Request, body []byte) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	token, _ := s.tokenOf(r)
	s.requests = append(s.requests, Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Body: string(body), Login: token.Login})
	return len(s.requests) - 1
}

func (s *Server) logStatus(at, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests[at].Status = status
}

// Requests returns a copy of the log.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Count returns how many requests had the method ("" for any) and a path that
// matches the pattern of [path.Match] ("" for any).
func (s *Server) Count(method, pattern string) int {
	n := 0
	for _, r := range s.Requests() {
		if matches(method, pattern, r.Method, r.Path) {
			n++
		}
	}
	return n
}

func matches(method, pattern, gotMethod, gotPath string) bool {
	if method != "" && method != gotMethod {
		return false
	}
	if pattern == "" {
		return true
	}
	ok, err := path.Match(pattern, gotPath)
	return ok && err == nil
}

// copyState returns a deep copy, so that two servers never share one.
func copyState(s State) State {
	b, err := json.Marshal(s)
	if err == nil {
		var out State
		if err = json.Unmarshal(b, &out); err == nil {
			return out
		}
	}
	panic(errors.Join(errors.New("githubtest: state cannot be copied"), err))
}
