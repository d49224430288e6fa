package gh

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/breadcrumb/action/state"
)

// maxAttempts bounds the attempts at one request even when the server asks for
// no wait at all.
const maxAttempts = 6

// WaitError is returned when GitHub asks for a longer wait than is left of the
// client's [Options].MaxWait. The request was refused, not carried out.
type WaitError struct {
	Method, Path string
	Status       int // 403 or 429
	Wait         time.Duration
	Left         time.Duration
}

func (e *WaitError) Error() string {
	return fmt.Sprintf("%s %s: GitHub's rate limit (%d) asks to wait %s, and only %s of waiting is left",
		e.Method, e.Path, e.Status, e.Wait.Round(time.Second), e.Left.Round(time.Second))
}

// retrying repeats requests that GitHub refused for their rate, and those that
// failed on the way when repeating cannot do a thing twice. Rate limits follow
// https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#handle-rate-limit-errors-appropriately
type retrying struct {
	next         http.RoundTripper
	limit        time.Duration // of one attempt
	now          func() time.Time
	sleep        func(context.Context, time.Duration) error
	log          *slog.Logger
	backoff      time.Duration
	faultBackoff time.Duration

	mu   sync.Mutex
	left time.Duration // waiting that is left, of all requests together
}

// RoundTrip implements [http.RoundTripper].
func (r *retrying) RoundTrip(req *http.Request) (*http.Response, error) {
	for attempt := 0; ; attempt++ {
		resp, body, err := r.sendAttempt(req, attempt)
		outcome := classifyAttempt(req, resp, body, err)
		if outcome == done || outcome == permanent {
			return reopenAnswer(resp, body), err
		}
		wait := r.waitFor(outcome, resp, attempt)
		left, ok := r.spendWait(wait)
		switch {
		case outcome == rateLimited && !ok:
			return nil, &WaitError{req.Method, req.URL.Path, resp.StatusCode, wait, left}
		case !ok || attempt+1 == maxAttempts || !repeatable(req):
			return reopenAnswer(resp, body), err
		}
		r.logWait(req, resp, err, wait)
		if err := r.sleep(req.Context(), wait); err != nil {
			return nil, err
		}
	}
}

// sendAttempt sends req once, from its second time on with a fresh copy of its
// body, and reads the whole answer, into the context's temporary file when it has one.
// An answer that breaks off is an error.
func (r *retrying) sendAttempt(req *http.Request, attempt int) (*http.Response, []byte, error) {
	ctx, cancel := context.WithTimeout(req.Context(), r.limit)
	defer cancel()
	once := req.Clone(ctx)
	if attempt > 0 && req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, nil, fmt.Errorf("repeat request: %w", err)
		}
		once.Body = body
	}
	resp, err := r.next.RoundTrip(once)
	if err != nil {
		return nil, nil, err
	}
	if into := tempFileOf(ctx); into != nil && resp.StatusCode == http.StatusOK {
		defer resp.Body.Close()
		if err := into.fillFrom(resp.Body); err != nil {
			return nil, nil, err
		}
		return resp, nil, nil
	}
	body, err := readBody(resp)
	if err != nil {
		return nil, nil, err
	}
	return resp, body, nil
}

// fillFrom replaces what is in the file by what r holds.
func (s *tempFile) fillFrom(r io.Reader) error {
	if err := errors.Join(s.file.Truncate(0), rewind(s.file)); err != nil {
		return localFault{err}
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(localWriter{s.file}, sum), io.LimitReader(r, maxDownloadBytes+1))
	s.size = n
	sum.Sum(s.sum[:0])
	switch {
	case err != nil:
		return fmt.Errorf("read response: %w", err)
	case n > maxDownloadBytes:
		return localFault{state.ErrTooLarge}
	}
	return rewind(s.file)
}

func tempFileOf(ctx context.Context) *tempFile {
	s, _ := ctx.Value(tempFileKey{}).(*tempFile)
	return s
}

// reopenAnswer returns resp with its body to be read again and without the headers
// that make go-github refuse later requests on its own clock without sending
// them; waiting is this transport's part.
func reopenAnswer(resp *http.Response, body []byte) *http.Response {
	if resp == nil {
		return nil
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.Header.Del("X-RateLimit-Reset")
	resp.Header.Del("Retry-After")
	return resp
}

// waitFor returns how long to wait before the next attempt: what the server
// asks for, and without that the doubled backoff.
func (r *retrying) waitFor(o outcome, resp *http.Response, attempt int) time.Duration {
	if wait, ok := askedWait(resp, r.now()); ok {
		return wait
	}
	if o == rateLimited {
		return r.backoff << attempt
	}
	return r.faultBackoff << attempt
}

// spendWait takes wait off the waiting that is left and reports whether there was
// enough; otherwise it takes nothing.
func (r *retrying) spendWait(wait time.Duration) (left time.Duration, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if wait > r.left {
		return r.left, false
	}
	r.left -= wait
	return r.left, true
}

// pause waits, as far as there is waiting left, and reports whether it did.
func (r *retrying) pause(ctx context.Context, d time.Duration) bool {
	_, ok := r.spendWait(d)
	return ok && r.sleep(ctx, d) == nil
}

// logWait logs a wait. Headers are not logged: they hold the token.
func (r *retrying) logWait(req *http.Request, resp *http.Response, err error, wait time.Duration) {
	attrs := []any{"method", req.Method, "path", req.URL.Path, "wait", wait}
	if resp != nil {
		attrs = append(attrs, "status", resp.StatusCode)
	} else {
		attrs = append(attrs, "error", err)
	}
	r.log.WarnContext(req.Context(), "waiting for GitHub", attrs...)
}

// maxResponseBytes bounds one response: a page of 100 comments of 65,536
// characters takes at most six bytes of JSON a character.
const maxResponseBytes = 64 << 20

var errTooLong = fmt.Errorf("response is longer than %d bytes", maxResponseBytes)

// outcome is how an attempt at a request ended.
type outcome int

const (
	done        outcome = iota
	permanent           // an answer or fault that repeating would not change, or must not
	rateLimited         // refused for its rate: not carried out
	transient           // a fault on the way or of the server; safe to repeat
)

// classifyAttempt says how an attempt at req ended.
func classifyAttempt(req *http.Request, resp *http.Response, body []byte, err error) outcome {
	switch {
	case err != nil && (req.Context().Err() != nil || errors.Is(err, errTooLong) || errors.As(err, new(localFault))):
		return permanent
	case err != nil && (idempotent(req) || neverSent(err)):
		return transient
	case err != nil:
		return permanent
	case resp.StatusCode < 300:
		return done
	case isRateLimit(resp.StatusCode, resp.Header, body):
		return rateLimited
	case resp.StatusCode >= 500 && resp.StatusCode != http.StatusNotImplemented && idempotent(req):
		return transient
	}
	return permanent
}

// isRateLimit reports whether a response is a primary or secondary rate limit.
// The secondary one may come as 429 or 403, with or without Retry-After and
// with requests remaining; then only its words distinguish it from a missing
// permission.
func isRateLimit(status int, header http.Header, body []byte) bool {
	if status == http.StatusTooManyRequests {
		return true
	}
	if status != http.StatusForbidden {
		return false
	}
	if header.Get("Retry-After") != "" || header.Get("X-RateLimit-Remaining") == "0" {
		return true
	}
	text := bytes.ToLower(body[:min(len(body), 16<<10)])
	return slices.ContainsFunc(limitWords, func(words string) bool { return bytes.Contains(text, []byte(words)) })
}

// limitWords are in the message or documentation_url of a rate limit.
var limitWords = []string{"secondary rate limit", "secondary-rate-limits", "abuse detection", "abuse-rate-limits", "api rate limit exceeded"}

// askedWait returns how long the server asks to wait: Retry-After in seconds
// or as a date, then the reset of a used-up rate limit. Reset says nothing of
// a secondary limit while requests remain.
func askedWait(resp *http.Response, now time.Time) (time.Duration, bool) {
	if resp == nil {
		return 0, false
	}
	if after := resp.Header.Get("Retry-After"); after != "" {
		if seconds, err := strconv.ParseInt(after, 10, 32); err == nil && seconds >= 0 {
			return time.Duration(seconds) * time.Second, true
		}
		if date, err := http.ParseTime(after); err == nil {
			return max(date.Sub(now), time.Second), true
		}
	}
	if resp.Header.Get("X-RateLimit-Remaining") != "0" {
		return 0, false
	}
	reset, err := strconv.ParseInt(resp.Header.Get("X-RateLimit-Reset"), 10, 64)
	if err != nil || reset <= 0 {
		return 0, false
	}
	// One second more, since the reset is cut to a whole second.
	return max(time.Unix(reset, 0).Sub(now), 0) + time.Second, true
}

type idempotentKey struct{}

// withIdempotent marks a POST that may be sent twice: a GraphQL query, or a mutation
// that sets a whole text.
func withIdempotent(ctx context.Context) context.Context {
	return context.WithValue(ctx, idempotentKey{}, true)
}

// idempotent reports whether req may be sent twice. A PATCH of ours may, since it sets
// a whole text; a POST may create a second comment.
func idempotent(req *http.Request) bool {
	return req.Method != http.MethodPost || req.Context().Value(idempotentKey{}) != nil
}

// neverSent reports whether err came before anything of the request was sent.
func neverSent(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// repeatable reports whether the body can be had again.
func repeatable(req *http.Request) bool {
	return req.Body == nil || req.Body == http.NoBody || req.GetBody != nil
}

// readBody reads the whole body, so that one cut off on the way counts as a
// connection fault of the attempt, and closes it.
func readBody(resp *http.Response) ([]byte, error) {
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxResponseBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read response: %w", err)
	}
	if len(body) > maxResponseBytes {
		return nil, errTooLong
	}
	return body, nil
}
