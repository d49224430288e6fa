package githubtest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// Drop says when the server closes the connection.
type Drop int

// DropBefore closes the connection before the request is carried out, DropAfter
// carries it out and closes the connection without an answer, and DropMidway
// breaks off in the middle of the answer.
const (
	DropNone Drop = iota
	DropBefore
	DropAfter
	DropMidway
)

// Fault is what goes wrong with requests that match.
type Fault struct {
	Method string // "" for any
	Path   string // pattern of path.Match without Options.Prefix, "" for any
	Asks   string // part of the request's body, "" for any
	Skip   int    // matching requests that go well first
	Times  int    // matching requests that fail then, 0 for all

	Drop    Drop
	Status  int
	Header  map[string]string
	Message string
	Answer  string // the whole body, in place of Message
	// DocumentationURL is how go-github recognises a secondary limit.
	DocumentationURL string

	seen int
}

// Inject adds a fault. Where several match a request, the first one added counts.
func (s *Server) Inject(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
}

// ClearFaults removes all faults.
func (s *Server) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// SecondaryLimit returns the fault of the secondary rate limit: 403 or 429
// with requests remaining. retryAfter is the header's value, "" for none.
func SecondaryLimit(status int, retryAfter string) Fault {
	f := Fault{
		Status: status, Times: 1,
		Message: "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
		Header:  map[string]string{},
	}
	if status == http.StatusForbidden {
		f.DocumentationURL = "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"
	}
	if retryAfter != "" {
		f.Header["Retry-After"] = retryAfter
	}
	return f
}

// PrimaryLimit returns the fault of a rate limit that is used up until reset.
func PrimaryLimit(reset time.Time) Fault {
	return Fault{
		Status: http.StatusForbidden, Times: 1,
		Message: "API rate limit exceeded for installation.",
		Header:  map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": strconv.FormatInt(reset.Unix(), 10)},
	}
}

// ServerError returns the fault of one 5xx.
func ServerError(status int) Fault {
	return Fault{Status: status, Times: 1, Message: "Server Error"}
}

// GraphQLError returns the fault of a GraphQL error, which has status 200. An empty
// kind makes an error without a type.
func GraphQLError(kind, message string) Fault {
	refusal := object{"message": message}
	if kind != "" {
		refusal["type"] = kind
	}
	answer := mustJSON(object{"data": nil, "errors": []any{refusal}})
	return Fault{Method: http.MethodPost, Path: "/graphql", Status: http.StatusOK, Answer: string(answer)}
}

// write answers with the fault.
func (f *Fault) write(w http.ResponseWriter) {
	for name, value := range f.Header {
		w.Header().Set(name, value)
	}
	if f.Answer != "" {
		writeJSONAnswer(w, f.Status, json.RawMessage(f.Answer))
		return
	}
	(&failure{Status: f.Status, Message: f.Message, DocumentationURL: f.DocumentationURL}).write(w)
}
