package gh

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"
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

func newRetrying(o Options, limit time.Duration, next http.RoundTripper) *retrying {
	r := &retrying{
		next: next, limit: limit, now: o.Now, sleep: o.Sleep, log: o.Log,
		backoff: o.Backoff, faultBackoff: o.FaultBackoff, left: o.MaxWait,
	}
	if r.sleep == nil {
		r.sleep = sleep
	}
	if r.backoff <= 0 {
		r.backoff = 60 * time.Second
	}
	if r.faultBackoff <= 0 {
		r.faultBackoff = time.Second
	}
	if r.left <= 0 {
		r.left = 120 * time.Second
	}
	return r
}

// RoundTrip implements [http.RoundTripper].
func (r *retrying) RoundTrip(req *http.Request) (*http.Response, error) {
	for attempt := 0; ; attempt++ {
		resp, body, err := r.attempt(req, attempt)
		trouble := diagnose(req, resp, body, err)
		if trouble == fine || trouble == lasting {
			return answer(resp, body), err
		}
		wait := r.waitFor(trouble, resp, attempt)
		left, ok := r.spend(wait)
		switch {
		case trouble == limited && !ok:
			return nil, &WaitError{req.Method, req.URL.Path, resp.StatusCode, wait, left}
		case !ok || attempt+1 == maxAttempts || !repeatable(req):
			return answer(resp, body), err
		}
		r.tell(req, resp, err, wait)
		if err := r.sleep(req.Context(), wait); err != nil {
			return nil, err
		}
	}
}

// attempt sends req once, from its second time on with a fresh copy of its
// body, and reads the whole answer, into the context's spool when it has one.
// An answer that breaks off is an error.
func (r *retrying) attempt(req *http.Request, attempt int) (*http.Response, []byte, error) {
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
	if into := spoolOf(ctx); into != nil && resp.StatusCode == http.StatusOK {
		defer resp.Body.Close()
		if err := into.fill(resp.Body); err != nil {
			return nil, nil, err
		}
		return resp, nil, nil
	}
	body, err := slurp(resp)
	if err != nil {
		return nil, nil, err
	}
	return resp, body, nil
}

// answer returns resp with its body to be read again and without the headers
// that make go-github refuse later requests on its own clock without sending
// them; waiting is this transport's part.
func answer(resp *http.Response, body []byte) *http.Response {
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
func (r *retrying) waitFor(t trouble, resp *http.Response, attempt int) time.Duration {
	if wait, ok := askedWait(resp, r.now()); ok {
		return wait
	}
	if t == limited {
		return r.backoff << attempt
	}
	return r.faultBackoff << attempt
}

// spend takes wait off the waiting that is left and reports whether there was
// enough; otherwise it takes nothing.
func (r *retrying) spend(wait time.Duration) (left time.Duration, ok bool) {
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
	_, ok := r.spend(d)
	return ok && r.sleep(ctx, d) == nil
}

// tell logs a wait. Headers are not logged: they hold the token.
func (r *retrying) tell(req *http.Request, resp *http.Response, err error, wait time.Duration) {
	attrs := []any{"method", req.Method, "path", req.URL.Path, "wait", wait}
	if resp != nil {
		attrs = append(attrs, "status", resp.StatusCode)
	} else {
		attrs = append(attrs, "error", err)
	}
	r.log.WarnContext(req.Context(), "waiting for GitHub", attrs...)
}

// sleep waits for d in real time.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
