// Package gh is the only package that speaks to GitHub: it reads the event that
// started a run, writes the runner's workflow commands, and calls the API.
//
// Start with [LoadEvent] for what is being tested, [NewActions] for inputs,
// outputs, annotations and the job summary of the running step, and
// [NewClient] for comments.
//
// Nothing here reads the process environment, a clock or a random source by
// itself: all of them are arguments. Texts that a test run wrote are hostile
// and are escaped here for the place they go to.
package gh

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/google/go-github/v62/github"
)

// DefaultAPIURL is the API of github.com.
const DefaultAPIURL = "https://api.github.com"

// Options are what a [Client] is made of. Token and Now are required.
type Options struct {
	Token  string
	APIURL string       // GITHUB_API_URL, [DefaultAPIURL] when empty; https://HOST/api/v3 for GHES
	HTTP   *http.Client // transport, redirect policy and time limit of one attempt; nil for 30 s
	Log    *slog.Logger // gets a line for every wait; nil discards
	Now    func() time.Time
	// Sleep waits for d or until ctx ends; nil waits in real time.
	Sleep func(ctx context.Context, d time.Duration) error
	// MaxWait caps all waiting of this client together; 0 means 120 s.
	MaxWait time.Duration
	// Backoff is the first wait for a rate limit that names no time (doubled
	// each time); 0 means 60 s, as GitHub asks.
	Backoff time.Duration
	// FaultBackoff is the first wait after a server or connection fault
	// (doubled each time); 0 means 1 s.
	FaultBackoff time.Duration
}

// Client calls GitHub's API. Its errors and log lines never hold the token. It
// is safe for concurrent use.
type Client struct {
	api     *github.Client
	http    *http.Client // what api sends with; a token goes to the API's host alone
	graphQL string       // GraphQL endpoint, relative to the API's base URL
	token   string
	log     *slog.Logger
	now     func() time.Time
	rest    *atomic.Int64 // requests sent to the REST API
	onTop   *atomic.Int64 // those of them that come on top of what a run may make
	waiting *retrying
}

// NewClient returns a client, or an error when an option cannot work. It sends
// nothing.
func NewClient(o Options) (_ *Client, err error) {
	defer wrapError(&err, "connect to GitHub")
	token := strings.TrimSpace(o.Token)
	switch {
	case token == "":
		return nil, errors.New("no token; pass the input github-token")
	case strings.ContainsFunc(token, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsGraphic(r) || r == ' ' }):
		return nil, errors.New("the token holds characters that no token has")
	case o.Now == nil:
		return nil, errors.New("no clock")
	}
	base, err := baseURL(o.APIURL)
	if err != nil {
		return nil, err
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	rest := &atomic.Int64{}
	sender, waiting := httpClient(o, authenticating{token: token, base: base, rest: rest, graphQL: base.JoinPath(graphQLPath(base)).Path})
	api := github.NewClient(sender)
	api.BaseURL, api.UploadURL = base, base
	api.UserAgent = "breadcrumb"
	return &Client{api: api, http: sender, graphQL: graphQLPath(base), token: token, log: o.Log, now: o.Now, rest: rest, onTop: &atomic.Int64{}, waiting: waiting}, nil
}

// baseURL parses the API's address and gives it the closing slash that
// relative addresses are resolved against.
func baseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(cmp.Or(raw, DefaultAPIURL))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("the API address (GITHUB_API_URL) is not an http or https URL")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the API address (GITHUB_API_URL) must not hold a user, a query or a fragment")
	}
	u.Path = strings.TrimRight(u.Path, "/") + "/"
	return u, nil
}

// graphQLPath returns where GraphQL is, relative to base: /graphql on
// api.github.com, and /api/graphql beside the /api/v3 of GHES.
func graphQLPath(base *url.URL) string {
	if strings.HasSuffix(base.Path, "/api/v3/") {
		return "../graphql"
	}
	return "graphql"
}

// httpClient returns the HTTP client of go-github: o.HTTP's policies over our
// retries over authentication over o.HTTP's transport. Its own time limit is
// moved to the single attempt, since waiting for a rate limit would use it up.
// The retries are returned, too.
func httpClient(o Options, auth authenticating) (*http.Client, *retrying) {
	client := http.Client{}
	if o.HTTP != nil {
		client = *o.HTTP
	}
	auth.next = cmp.Or(client.Transport, http.DefaultTransport)
	waiting := &retrying{
		next: auth, limit: orDefault(client.Timeout, 30*time.Second), now: o.Now, sleep: o.Sleep, log: o.Log,
		backoff: orDefault(o.Backoff, 60*time.Second), faultBackoff: orDefault(o.FaultBackoff, time.Second), left: orDefault(o.MaxWait, 120*time.Second),
	}
	if waiting.sleep == nil {
		waiting.sleep = sleep
	}
	client.Timeout, client.Transport = 0, waiting
	return &client, waiting
}

func orDefault(d, otherwise time.Duration) time.Duration { return cmp.Or(max(d, 0), otherwise) }

// sleep waits for d in real time.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// authenticating adds the token to requests to the API's own host, and to no
// other: redirects may lead to storage elsewhere. It counts those of them that
// are of the REST API.
type authenticating struct {
	next    http.RoundTripper
	token   string
	base    *url.URL
	graphQL string // path
	rest    *atomic.Int64
}

// RoundTrip implements [http.RoundTripper].
func (a authenticating) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != a.base.Scheme || req.URL.Host != a.base.Host {
		return a.next.RoundTrip(req)
	}
	if req.URL.Path != a.graphQL {
		a.rest.Add(1)
	}
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+a.token)
	return a.next.RoundTrip(req)
}

type failingTransport struct{ err error }

// RoundTrip implements [http.RoundTripper].
func (t failingTransport) RoundTrip(*http.Request) (*http.Response, error) { return nil, t.err }

// get asks for a path of the REST API and decodes the answer into out.
func (c *Client) get(ctx context.Context, path string, out any) (*github.Response, error) {
	req, err := c.api.NewRequest(http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	return c.api.Do(ctx, req, out)
}

// notFoundType is the type of GraphQL's error about a thing that is not there.
const notFoundType = "NOT_FOUND"

type graphQLFault struct{ Type, Message string }

// query sends one GraphQL query and decodes its data into out, also beside an error.
// Of several errors it returns one that is not about a thing which is not there, if
// there is any.
func (c *Client) query(ctx context.Context, op, query string, variables map[string]any, out any) error {
	in := map[string]any{"query": query}
	if variables != nil {
		in["variables"] = variables
	}
	req, err := c.api.NewRequest(http.MethodPost, c.graphQL, in)
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	answer := struct {
		Data   any
		Errors []graphQLFault
	}{Data: out}
	if _, err := c.api.Do(ctx, req, &answer); err != nil {
		return c.fault(op, err, refused)
	}
	if len(answer.Errors) > 0 {
		gravest := max(0, slices.IndexFunc(answer.Errors, func(e graphQLFault) bool { return e.Type != notFoundType }))
		return &GraphQLError{Op: op, Type: answer.Errors[gravest].Type, Message: c.tidy(answer.Errors[gravest].Message)}
	}
	return nil
}
