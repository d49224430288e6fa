package githubtest

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

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
	// Forgets leaves the log of the requests empty and lets go of expired artifacts: those
	// of a long life take memory.
	Forgets bool
}

// Server is an in-memory GitHub. It is safe for concurrent use.
type Server struct {
	options     Options
	routes      []route
	description *Description // nil: nothing is checked

	mu       sync.Mutex
	state    State
	faults   []*Fault
	requests []Request
	window   window
	storage  string             // address of Results
	jobs     map[string]JobRun  // by runtime token
	uploads  map[string]*blob   // by path
	checked  map[string]bool    // operations
	commits  map[string]*places // of each repository's past, by its full name
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

// serve answers with do, or with the fault that the request meets.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, do http.HandlerFunc) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.URL.Path = s.pathInAPI(r.URL.Path)
	r.URL.RawPath = ""
	at := s.logRequest(r, body)
	fault := s.nextFault(r, body)
	answer := httptest.NewRecorder()
	switch {
	case fault != nil && fault.Drop == DropBefore:
		panic(http.ErrAbortHandler)
	case fault != nil && fault.Drop == DropNone:
		s.countRequest(answer.Header())
		fault.write(answer)
	default:
		do(answer, r)
		s.checkAgainstDescription(r, body, answer)
	}
	if fault != nil && fault.Drop != DropNone {
		fault.dropConnection(w, answer)
	}
	if at >= 0 {
		s.mu.Lock()
		s.requests[at].Status = answer.Code
		s.mu.Unlock()
	}
	w.Header().Set("Date", s.options.Now().UTC().Format(http.TimeFormat))
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// dropConnection ends the connection without the whole answer.
func (f *Fault) dropConnection(w http.ResponseWriter, answer *httptest.ResponseRecorder) {
	if f.Drop == DropMidway {
		body := answer.Body.Bytes()
		maps.Copy(w.Header(), answer.Header())
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(answer.Code)
		_, _ = w.Write(body[:len(body)/2])
		if flusher, ok := w.(http.Flusher); ok {
			flusher.Flush()
		}
	}
	panic(http.ErrAbortHandler)
}

// nextFault returns the fault that r meets, nil for none.
func (s *Server) nextFault(r *http.Request, body []byte) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.faults {
		if !matches(f.Method, f.Path, r.Method, r.URL.Path) || !bytes.Contains(body, []byte(f.Asks)) {
			continue
		}
		f.seen++
		if f.seen > f.Skip && (f.Times == 0 || f.seen <= f.Skip+f.Times) {
			return f
		}
	}
	return nil
}

// checkAgainstDescription ends the test process when a request that succeeded, or its
// answer, is not as GitHub describes it. It does not check the results service, which
// GitHub does not describe.
func (s *Server) checkAgainstDescription(r *http.Request, body []byte, answer *httptest.ResponseRecorder) {
	if s.description == nil || isOfResults(r.URL.Path) {
		return
	}
	operation, err := s.description.Check(r, body, answer)
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

// isOfResults reports whether a path is of [Server.Results].
func isOfResults(path string) bool {
	return strings.HasPrefix(path, "/twirp/") || strings.HasPrefix(path, "/blob/")
}

// Checked returns the operations that were checked against GitHub's description so
// far, by their names there.
func (s *Server) Checked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.checked))
}

// pathInAPI returns the path within the API. For a path outside of the API it returns
// one that has no route.
func (s *Server) pathInAPI(p string) string {
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

// findToken returns the token of a request and whether it is known.
func (s *Server) findToken(r *http.Request) (Token, bool) {
	kind, value, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || value == "" || !strings.EqualFold(kind, "bearer") && !strings.EqualFold(kind, "token") {
		return Token{}, false
	}
	if len(s.state.Tokens) == 0 {
		return Token{Token: value, Login: "github-actions[bot]", Installation: true}, true
	}
	if t := find(s.state.Tokens, func(t Token) bool { return t.Token == value }); t != nil {
		return *t, true
	}
	return Token{}, false
}

// logRequest adds the request to the log and returns its index, -1 where there is no
// log.
func (s *Server) logRequest(r *http.Request, body []byte) int {
	if s.options.Forgets {
		return -1
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	token, _ := s.findToken(r)
	s.requests = append(s.requests, Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Body: string(body), Login: token.Login})
	return len(s.requests) - 1
}

// Requests returns a copy of the log.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Count returns how many requests had the method ("" for any) and a path that
// matches the pattern of [path.Match] ("" for any).
func (s *Server) Count(method, pattern string) int {
	return s.countIf(func(r Request) bool { return matches(method, pattern, r.Method, r.Path) })
}

// CountREST returns how many requests went to the REST API, without GraphQL
// and the results service.
func (s *Server) CountREST() int {
	return s.countIf(func(r Request) bool { return r.Path != "/graphql" && !isOfResults(r.Path) })
}

func (s *Server) countIf(counts func(Request) bool) int {
	return len(filter(s.Requests(), counts))
}

func matches(method, pattern, gotMethod, gotPath string) bool {
	ok, err := path.Match(pattern, gotPath)
	return (method == "" || method == gotMethod) && (pattern == "" || ok && err == nil)
}

// window is the hour that requests are counted in.
type window struct {
	reset time.Time
	used  int
}

// countRequest counts a request and sets the headers that every answer of GitHub
// has. It returns the answer to a request beyond the limit, nil for others.
func (s *Server) countRequest(h http.Header) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit, now := cmp.Or(s.state.RateLimit, 5000), s.options.Now()
	if !now.Before(s.window.reset) {
		s.window = window{reset: now.Add(time.Hour)}
	}
	over := s.window.used >= limit
	if !over {
		s.window.used++
	}
	h.Set("X-RateLimit-Limit", strconv.Itoa(limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(limit-s.window.used))
	h.Set("X-RateLimit-Used", strconv.Itoa(s.window.used))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(s.window.reset.Unix(), 10))
	h.Set("X-GitHub-Request-Id", "0000:TEST")
	if !over {
		return nil
	}
	f := PrimaryLimit(s.window.reset)
	return &f
}
