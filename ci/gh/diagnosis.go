package gh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// maxResponseBytes bounds one response: a page of 100 comments of 65,536
// characters takes at most six bytes of JSON a character.
const maxResponseBytes = 64 << 20

var errTooLong = fmt.Errorf("response is longer than %d bytes", maxResponseBytes)

// trouble is what keeps a request from its answer.
type trouble int

const (
	fine    trouble = iota
	lasting         // an answer or fault that repeating would not change, or must not
	limited         // refused for its rate: not carried out
	passing         // a fault on the way or of the server; safe to repeat
)

// diagnose says what came of an attempt at req.
func diagnose(req *http.Request, resp *http.Response, body []byte, err error) trouble {
	switch {
	case err != nil && (req.Context().Err() != nil || errors.Is(err, errTooLong) || errors.As(err, new(localFault))):
		return lasting
	case err != nil && (idempotent(req) || neverSent(err)):
		return passing
	case err != nil:
		return lasting
	case resp.StatusCode < 300:
		return fine
	case isRateLimit(resp.StatusCode, resp.Header, body):
		return limited
	case resp.StatusCode >= 500 && resp.StatusCode != http.StatusNotImplemented && idempotent(req):
		return passing
	}
	return lasting
}

// isRateLimit reports whether a response is a primary or secondary rate limit.
// The secondary one may come as 429 or 403, with or without Retry-After and
// with requests remaining; then only its words tell it from missing
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

// withIdempotent marks a POST that is as good twice as once: a GraphQL query, or
// a mutation that sets a whole text.
func withIdempotent(ctx context.Context) context.Context {
	return context.WithValue(ctx, idempotentKey{}, true)
}

// idempotent reports whether sending req twice is as good as once. A PATCH of
// ours sets a whole text, so it is; a POST may create a second comment.
func idempotent(req *http.Request) bool {
	return req.Method != http.MethodPost || req.Context().Value(idempotentKey{}) != nil
}

// neverSent reports whether err came before anything of the request was sent.
func neverSent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// repeatable reports whether the body can be had again.
func repeatable(req *http.Request) bool {
	return req.Body == nil || req.Body == http.NoBody || req.GetBody != nil
}

// slurp reads the whole body, so that one cut off on the way counts as a
// connection fault of the attempt, and closes it.
func slurp(resp *http.Response) ([]byte, error) {
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
