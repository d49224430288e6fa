// Package resultsservice speaks to the GitHub Actions results service, which keeps
// the artifacts of a workflow run and the caches of a repository: Twirp calls
// in JSON to ACTIONS_RESULTS_URL, and the bytes by signed addresses to a blob
// store. Start with [New].
//
// The service is not documented. This package does what its own clients do, the
// npm packages @actions/artifact 6.2.1 and @actions/cache 6.3.0
// (https://github.com/actions/toolkit/tree/main/packages).
package resultsservice

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// maxAnswerBytes bounds one answer of the service; signed addresses are long,
// but not that long.
const maxAnswerBytes = 1 << 20

// ErrExists is wrapped by the error of a call that makes a thing whose name is
// taken. The thing may be whole or half done.
var ErrExists = errors.New("exists already")

// Options are what a [Client] is made of. URL, Token and HTTP are required.
type Options struct {
	URL   string // ACTIONS_RESULTS_URL
	Token string // ACTIONS_RUNTIME_TOKEN
	HTTP  *http.Client
	// Repeatable marks the context of a request that HTTP may send twice; nil
	// marks nothing. Every call of this package is one, since a second
	// creation is answered with ErrExists and changes nothing.
	Repeatable func(context.Context) context.Context
}

// Client calls the service on behalf of one job. Its errors never hold the
// token or a signed address. It is safe for concurrent use.
type Client struct {
	base       *url.URL
	token      string
	http       *http.Client
	repeatable func(context.Context) context.Context
	scope      scope
}

// New returns a client, or an error when the options cannot work. It sends
// nothing.
func New(o Options) (*Client, error) {
	base, err := url.Parse(o.URL)
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" {
		return nil, errors.New("ACTIONS_RESULTS_URL is not an http or https URL")
	}
	scope, err := scopeOf(o.Token)
	if err != nil {
		return nil, fmt.Errorf("ACTIONS_RUNTIME_TOKEN: %w", err)
	}
	c := &Client{base: base, token: o.Token, http: o.HTTP, repeatable: o.Repeatable, scope: scope}
	if c.repeatable == nil {
		c.repeatable = func(ctx context.Context) context.Context { return ctx }
	}
	return c, nil
}

// Error is an answer of the service or its blob store other than success.
type Error struct {
	Method  string // "CreateArtifact", "PUT blob"
	Status  int    // HTTP status
	Code    string // Twirp's: "already_exists"; "" where there is none
	Message string // the service's words, one line
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: the results service answered %d", e.Method, e.Status)
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// Unwrap returns [ErrExists] for a name that is taken, nil otherwise.
func (e *Error) Unwrap() error {
	if e.Status == http.StatusConflict || e.Code == "already_exists" {
		return ErrExists
	}
	return nil
}

// callMethod sends one Twirp request and reads its answer into out.
func (c *Client) callMethod(ctx context.Context, service, method string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	address := c.base.JoinPath("/twirp", "github.actions.results.api.v1."+service, method).String()
	req, err := http.NewRequestWithContext(c.repeatable(ctx), http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", method, WithoutAddress(err))
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes+1))
	if err != nil {
		return fmt.Errorf("%s: read answer: %w", method, err)
	}
	if resp.StatusCode != http.StatusOK {
		return c.fault(method, resp.StatusCode, answer)
	}
	if len(answer) > maxAnswerBytes {
		return fmt.Errorf("%s: the answer is longer than %d bytes", method, maxAnswerBytes)
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%s: read answer: %w", method, err)
	}
	return nil
}

// change sends a call that creates or finalizes something and returns the signed
// address to upload to, which the answer to a creation must name.
func (c *Client) change(ctx context.Context, service, method string, in any) (address string, err error) {
	var out struct {
		OK      bool   `json:"ok"`
		URL     string `json:"signed_upload_url"`
		Message string `json:"message"` // of caches
	}
	if err := c.callMethod(ctx, service, method, in, &out); err != nil {
		return "", err
	}
	if !out.OK || out.URL == "" && strings.HasPrefix(method, "Create") {
		return "", c.refusal(method, out.Message)
	}
	return out.URL, nil
}

// refusal returns the error of an answer that is not ok. That a key is taken
// is said only in its message.
func (c *Client) refusal(method, message string) error {
	if message == "" {
		return errors.New(method + ": the results service refused without a reason")
	}
	refused := &Error{Method: method, Status: 200, Message: c.tidy(message)}
	if strings.Contains(message, "already exists") {
		refused.Code = "already_exists"
	}
	return refused
}

// fault returns the error of an answer: Twirp's JSON, or the words of whatever
// stands before the service.
func (c *Client) fault(method string, status int, answer []byte) error {
	var twirp struct{ Code, Msg string }
	if json.Unmarshal(answer, &twirp) != nil || twirp.Msg == "" {
		twirp.Msg = http.StatusText(status)
	}
	return &Error{Method: method, Status: status, Code: twirp.Code, Message: c.tidy(twirp.Msg)}
}

// tidy returns a server's words as one line of bounded length without the
// token.
func (c *Client) tidy(text string) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, c.token, "***")), " ")
	return strings.ToValidUTF8(text[:min(len(text), 300)], "")
}

// WithoutAddress takes the address off an error of net/http: a signed one is as
// good as a password.
func WithoutAddress(err error) error {
	if with, ok := errors.AsType[*url.Error](err); ok {
		return with.Err
	}
	return err
}

// scope names the run and the job for which the service keeps artifacts.
type scope struct {
	Run string `json:"workflow_run_backend_id"`
	Job string `json:"workflow_job_run_backend_id"`
}

// scopeOf reads the ids from the token, a JWT whose claim scp lists scopes
// between blanks, one of them Actions.Results:<run>:<job>. The signature is
// the service's to check.
func scopeOf(token string) (scope, error) {
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return scope{}, errors.New("holds characters that no token has")
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return scope{}, errors.New("is not a JSON web token")
	}
	text, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return scope{}, errors.New("is not a JSON web token: its claims are not base64")
	}
	var claims struct{ Scp string }
	if err := json.Unmarshal(text, &claims); err != nil {
		return scope{}, errors.New("is not a JSON web token: its claims are not JSON")
	}
	for _, s := range strings.Fields(claims.Scp) {
		ids := strings.Split(s, ":")
		if ids[0] == "Actions.Results" && len(ids) == 3 && ids[1] != "" && ids[2] != "" {
			return scope{Run: ids[1], Job: ids[2]}, nil
		}
	}
	return scope{}, errors.New("names no run: its claim scp lacks Actions.Results:<run>:<job>")
}
