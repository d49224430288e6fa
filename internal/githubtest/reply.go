package githubtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// object is a JSON object of an answer.
type object = map[string]any

// failure is an answer other than success, in GitHub's shape.
type failure struct {
	Status           int
	Message          string
	Errors           []any
	DocumentationURL string
}

func (f *failure) Error() string { return f.Message }

func asFailure(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	return &failure{Status: http.StatusInternalServerError, Message: err.Error()}
}

func notFound() *failure {
	return &failure{Status: http.StatusNotFound, Message: "Not Found"}
}

func forbidden(message string) *failure {
	return &failure{Status: http.StatusForbidden, Message: message}
}

// invalid returns the 422 of a validation that named a field.
func invalid(resource, field, code, message string) *failure {
	detail := object{"resource": resource, "field": field, "code": code}
	if message != "" {
		detail["message"] = message
	}
	return &failure{Status: http.StatusUnprocessableEntity, Message: "Validation Failed", Errors: []any{detail}}
}

// unprocessable returns the 422 that gives its reasons as plain texts.
func unprocessable(reasons ...string) *failure {
	f := &failure{Status: http.StatusUnprocessableEntity, Message: "Unprocessable Entity"}
	for _, r := range reasons {
		f.Errors = append(f.Errors, r)
	}
	return f
}

// reply writes a failure.
func reply(w http.ResponseWriter, f *failure) {
	body := object{"message": f.Message, "documentation_url": "https://docs.github.com/rest", "status": strconv.Itoa(f.Status)}
	if f.DocumentationURL != "" {
		body["documentation_url"] = f.DocumentationURL
	}
	if len(f.Errors) > 0 {
		body["errors"] = f.Errors
	}
	writeStatus(w, f.Status, body)
}

// created is an answer with status 201.
type created struct{ object }

// writeAnswer writes a success.
func writeAnswer(w http.ResponseWriter, answer any) {
	if c, ok := answer.(created); ok {
		writeStatus(w, http.StatusCreated, c.object)
		return
	}
	writeStatus(w, http.StatusOK, answer)
}

func writeStatus(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// decode reads the body of a call.
func (c *call) decode(into any) error {
	if err := json.Unmarshal(c.body, into); err != nil {
		return &failure{Status: http.StatusBadRequest, Message: "Problems parsing JSON"}
	}
	return nil
}

// number returns the named part of the path as a number.
func (c *call) number(name string) int64 {
	n, err := strconv.ParseInt(c.PathValue(name), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// checkReviewBody is checkBody for reviews, whose refusals are plain texts.
func checkReviewBody(body string) error {
	switch {
	case strings.TrimSpace(body) == "":
		return unprocessable("Body can't be blank")
	case utf8.RuneCountInString(body) > MaxBodyChars:
		return unprocessable(fmt.Sprintf("Body is too long (maximum is %d characters)", MaxBodyChars))
	}
	return nil
}

// checkBody checks the text of a comment.
func checkBody(resource, body string) error {
	switch {
	case strings.TrimSpace(body) == "":
		return invalid(resource, "body", "missing_field", "")
	case utf8.RuneCountInString(body) > MaxBodyChars:
		return invalid(resource, "data", "unprocessable", fmt.Sprintf("Body is too long (maximum is %d characters)", MaxBodyChars))
	}
	return nil
}

// page returns the asked page of items (30 a page, at most 100) and sets the
// Link header as GitHub does.
func page[T any](w http.ResponseWriter, c *call, items []T) []T {
	query := c.URL.Query()
	size := min(max(atoi(query.Get("per_page"), 30), 1), 100)
	last := max((len(items)+size-1)/size, 1)
	current := max(atoi(query.Get("page"), 1), 1)
	var links []string
	link := func(page int, rel string) {
		links = append(links, fmt.Sprintf(`<%s>; rel="%s"`, pageURL(c, query, page), rel))
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
		w.Header().Set("Link", strings.Join(links, ", "))
	}
	start := min((current-1)*size, len(items))
	return items[start:min(start+size, len(items))]
}

func pageURL(c *call, query url.Values, page int) string {
	query.Set("page", strconv.Itoa(page))
	return c.base + c.URL.Path + "?" + query.Encode()
}

func atoi(s string, otherwise int) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return otherwise
	}
	return n
}
