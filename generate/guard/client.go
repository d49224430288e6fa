package guard

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"time"
)

// maxRedirects is how many redirects lead to a page.
const maxRedirects = 5

// OriginError says that an address leads to another origin.
type OriginError struct{ From, To *url.URL }

func (e OriginError) Error() string {
	return e.From.Redacted() + " leads to another origin: " + e.To.Redacted()
}

// Client returns an HTTP client over Dialer that stays at the origin of its
// first request. It uses no proxy, because nobody could check the address that
// a proxy connects to.
func Client(allowPrivate bool, timeout time.Duration) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext:            Dialer(allowPrivate, timeout).DialContext,
			TLSHandshakeTimeout:    timeout,
			ResponseHeaderTimeout:  timeout,
			MaxResponseHeaderBytes: 1 << 20,
			MaxIdleConnsPerHost:    2,
			IdleConnTimeout:        timeout,
			ForceAttemptHTTP2:      true,
		},
		CheckRedirect: func(next *http.Request, via []*http.Request) error {
			switch first := via[0].URL; {
			case len(via) > maxRedirects:
				return errors.New("too many redirects")
			case !SameOrigin(first, next.URL):
				return OriginError{first, next.URL}
			}
			return nil
		},
	}
}

// SameOrigin reports whether two http(s) addresses have the same scheme, host
// and port.
func SameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && (a.Scheme == "http" || a.Scheme == "https") &&
		a.Hostname() == b.Hostname() && port(a) == port(b) && a.Hostname() != ""
}

func port(u *url.URL) string {
	return cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
}
