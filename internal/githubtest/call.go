package githubtest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// call is one request being answered, with the state locked.
type call struct {
	*http.Request
	*Server
	w       http.ResponseWriter
	token   Token
	repo    *Repository  // that the path names
	pr      *PullRequest // that the path names
	comment *Comment     // that the path names
	base    string       // address of the API as the client sees it
	web     string       // address of the web pages
	body    []byte
	now     time.Time
	texts   map[string]json.RawMessage // of repositoryText
}

// action returns the value to answer a call with, as JSON, or a failure. Where it
// returns nil it has written the answer itself.
type action func(*call) (any, error)

// object is a JSON object of an answer.
type object = map[string]any

// route is one method and path that is answered. GitHub's own routes overlap
// ("issues/comments/{id}" and "issues/{number}/comments"), which
// [http.ServeMux] refuses, so the first that matches is taken.
type route struct {
	method string
	path   string // as for matchPath
	needs  permission
	do     action
}

// permission is what a token needs for a route.
type permission int

const (
	read        permission = iota // any known token
	write                         // one that is not read-only
	readActions                   // actions: read
	readChecks                    // checks: read, which a job that may write checks has
	writeChecks                   // checks: write
)

// inRepo is the start of the paths of a repository's routes.
const inRepo = "/repos/{owner}/{repo}"

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.serve(w, r, func(w http.ResponseWriter, r *http.Request) {
		if over := s.countRequest(w.Header()); over != nil {
			over.write(w)
			return
		}
		for _, route := range s.routes {
			if route.matches(r) {
				s.answer(w, r, route)
				return
			}
		}
		notFound.write(w)
	})
}

// matches reports whether the request is the route's and, if so, sets the values
// of the path's parts on r.
func (t route) matches(r *http.Request) bool {
	values, ok := matchPath(t.path, r.URL.Path)
	if !ok || t.method != r.Method {
		return false
	}
	for name, value := range values {
		r.SetPathValue(name, value)
	}
	return true
}

// matchPath returns the values of a path's parts, where the path is as the
// template: "{name}" takes one segment, "{name...}" the rest.
func matchPath(template, path string) (values map[string]string, ok bool) {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	values = map[string]string{}
	for i, segment := range want {
		name, isPart := strings.CutPrefix(strings.TrimSuffix(segment, "}"), "{")
		rest, isRest := strings.CutSuffix(name, "...")
		switch {
		case i >= len(got):
			return nil, false
		case isRest:
			values[rest] = strings.Join(got[i:], "/")
			got = got[:i+1]
		case isPart:
			values[name] = got[i]
		case segment != got[i]:
			return nil, false
		}
	}
	return values, len(got) == len(want)
}

// answer authenticates a request, locks the state, finds what the path names, and
// writes the answer of the route's action.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, t route) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &call{Request: r, Server: s, w: w, now: s.options.Now().UTC(), base: "http://" + r.Host + s.options.Prefix, web: s.options.WebURL}
	if r.TLS != nil {
		c.base = "https" + strings.TrimPrefix(c.base, "http")
	}
	answer, err := c.performRoute(t)
	writeResult(w, answer, err)
}

// writeResult writes what an action returned.
func writeResult(w http.ResponseWriter, answer any, err error) {
	if err != nil {
		refused, ok := errors.AsType[*failure](err)
		if !ok {
			refused = fail(http.StatusInternalServerError, err.Error())
		}
		refused.write(w)
		return
	}
	switch answer := answer.(type) {
	case nil:
	case created:
		writeJSONAnswer(w, http.StatusCreated, answer.object)
	default:
		writeJSONAnswer(w, http.StatusOK, answer)
	}
}

func (c *call) performRoute(t route) (_ any, err error) {
	var known bool
	if c.token, known = c.findToken(c.Request); !known {
		return nil, fail(http.StatusUnauthorized, "Bad credentials")
	}
	if c.body, err = io.ReadAll(c.Request.Body); err != nil {
		return nil, badJSON
	}
	if (t.needs == write || t.needs == writeChecks) && c.isReadOnly() || t.needs == readActions && c.token.NoActions || (t.needs == readChecks || t.needs == writeChecks) && c.token.NoChecks {
		return nil, inaccessible
	}
	if c.repo = c.state.findRepository(c.PathValue("owner") + "/" + c.PathValue("repo")); c.repo != nil {
		c.pr = c.repo.findPull(int(c.number("number")))
		if id := c.number("comment"); id != 0 {
			c.comment = find(c.repo.Comments, func(x Comment) bool { return x.ID == id })
		}
	}
	for part, found := range map[string]bool{"repo": c.repo != nil, "number": c.pr != nil, "comment": c.comment != nil} {
		if c.PathValue(part) != "" && !found {
			return nil, notFound
		}
	}
	return t.do(c)
}

func (c *call) isReadOnly() bool { return c.token.ReadOnly || c.options.Fork }

// number returns the named part of the path as a number, 0 where it is none.
func (c *call) number(name string) int64 { return int64(atoi(c.PathValue(name), 0)) }

// api returns an address of the API below the call's repository.
func (c *call) api(format string, args ...any) string {
	return c.base + "/repos/" + c.repo.FullName + fmt.Sprintf(format, args...)
}

// html returns an address of the web pages below the call's repository.
func (c *call) html(format string, args ...any) string {
	return c.web + "/" + c.repo.FullName + fmt.Sprintf(format, args...)
}

// withBody returns the action that first decodes the call's body.
func withBody[In any](do func(*call, In) (any, error)) action {
	return func(c *call) (any, error) {
		var in In
		if err := json.Unmarshal(c.body, &in); err != nil {
			return nil, badJSON
		}
		return do(c, in)
	}
}

// created is an answer with status 201.
type created struct{ object }

// failure is an error answer in GitHub's shape.
type failure struct {
	Status           int
	Message          string
	Errors           any // a list
	DocumentationURL string
	Body             any // the whole body, in place of the fields above
}

func (f *failure) Error() string { return f.Message }

func (f *failure) write(w http.ResponseWriter) {
	if f.Body != nil {
		writeJSONAnswer(w, f.Status, f.Body)
		return
	}
	page := cmp.Or(f.DocumentationURL, "https://docs.github.com/rest")
	body := object{"message": f.Message, "documentation_url": page, "status": strconv.Itoa(f.Status)}
	if f.Errors != nil {
		body["errors"] = f.Errors
	}
	writeJSONAnswer(w, f.Status, body)
}

func writeJSONAnswer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// fail returns the failure of a status that has nothing but a message.
func fail(status int, message string) *failure { return &failure{Status: status, Message: message} }

var (
	badJSON      = fail(http.StatusBadRequest, "Problems parsing JSON")
	notFound     = fail(http.StatusNotFound, "Not Found")
	inaccessible = fail(http.StatusForbidden, "Resource not accessible by integration")
)

// unprocessable returns a 422 with a message.
func unprocessable(message string) *failure { return fail(http.StatusUnprocessableEntity, message) }

// invalid returns the 422 of a field that is not valid.
func invalid(resource, field, code, message string) *failure {
	detail := object{"resource": resource, "field": field, "code": code}
	if message != "" {
		detail["message"] = message
	}
	return &failure{Status: http.StatusUnprocessableEntity, Message: "Validation Failed", Errors: []any{detail}}
}

// MaxBodyChars is the largest number of characters of a comment or review.
const MaxBodyChars = 65536

// checkText returns the error blank or long where a text is too short or too long for
// a comment or a review.
func checkText(body string, blank, long error) error {
	switch {
	case strings.TrimSpace(body) == "":
		return blank
	case utf8.RuneCountInString(body) > MaxBodyChars:
		return long
	}
	return nil
}

var tooLong = fmt.Sprintf("Body is too long (maximum is %d characters)", MaxBodyChars)

// pageOf returns the shapes of the requested page of items (30 a page, at most 100)
// and sets the Link header as GitHub does.
func pageOf[T any](c *call, items []T, shape func(T) object) []object {
	query := c.URL.Query()
	size := min(max(atoi(query.Get("per_page"), 30), 1), 100)
	last := max((len(items)+size-1)/size, 1)
	current := max(atoi(query.Get("page"), 1), 1)
	var links []string
	link := func(page int, rel string) {
		query.Set("page", strconv.Itoa(page))
		links = append(links, fmt.Sprintf(`<%s%s?%s>; rel="%s"`, c.base, c.URL.Path, query.Encode(), rel))
	}
	if current > 1 {
		link(min(current-1, last), "prev")
	}
	if current < last {
		link(current+1, "next")
		link(last, "last")
	}
	if current > 1 {
		link(1, "first")
	}
	if len(links) > 0 {
		c.w.Header().Set("Link", strings.Join(links, ", "))
	}
	start := min((current-1)*size, len(items))
	return shapesOf(items[start:min(start+size, len(items))], shape)
}

// shapesOf returns the shapes of items, an empty list where there are none.
func shapesOf[T any](items []T, shape func(T) object) []object {
	shapes := []object{}
	for _, item := range items {
		shapes = append(shapes, shape(item))
	}
	return shapes
}

func atoi(s string, otherwise int) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return otherwise
	}
	return n
}
