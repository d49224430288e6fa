package generate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"

	"golang.org/x/net/html/charset"

	"github.com/breadcrumb/action/engine/locator"
)

// Browser opens pages.
type Browser interface {
	// Open opens the page at an address, within the time of ctx.
	Open(ctx context.Context, address *url.URL) (View, error)
}

// View is an open page.
type View interface {
	URL() *url.URL // where it was in the end
	Source() []byte
	// Closed counts the shadow roots that are closed, beyond those in Source; it
	// is negative where they are too many to count.
	Closed() int
	Frames() []Frame // that are in it
	// Finds reports whether a selector, from the page on, finds only the element
	// at a path in what is viewed: the index among the elements of its parent,
	// from <html> down, with -1 for a step into a shadow root.
	Finds(s locator.Selector, path []int) bool
	// Keeps does with an element what a test would, and reports whether it
	// keeps what was typed or chosen.
	Keeps(e Element) bool
	Close()
}

// Frame is a frame in an open page, or in another frame.
type Frame struct {
	Path []int // of its element, as View.Finds has it
	// Open returns what is in it, and errNotLoaded where nothing came.
	Open func() (View, error)
}

// errNotLoaded is why a frame is empty.
var errNotLoaded = errors.New("the frame did not load")

// uncounted stands for how many there are on a larger page.
const uncounted = -1

// reader reads pages as the server sends them.
type reader struct {
	client   *http.Client
	maxBytes int64
}

// Open fetches a page.
func (r reader) Open(ctx context.Context, address *url.URL) (View, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "breadcrumb-generate")
	request.Header.Set("Accept", "text/html")
	response, err := r.client.Do(request)
	if err != nil {
		return nil, withoutAddress(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answers %d", response.StatusCode)
	}
	kind := response.Header.Get("Content-Type")
	if media, _, err := mime.ParseMediaType(kind); kind != "" && (err != nil || media != "text/html" && media != "application/xhtml+xml") {
		return nil, fmt.Errorf("it is no HTML but %.60q", kind)
	}
	source, err := io.ReadAll(io.LimitReader(response.Body, r.maxBytes+1))
	if err != nil {
		return nil, err
	}
	if int64(len(source)) > r.maxBytes {
		return nil, fmt.Errorf("it is larger than %d bytes (--max-bytes)", r.maxBytes)
	}
	encoding, _, _ := charset.DetermineEncoding(source, kind)
	if source, err = encoding.NewDecoder().Bytes(source); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	return sent{response.Request.URL, source}, nil // in UTF-8
}

// withoutAddress returns what went wrong without the address, which is said already.
func withoutAddress(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return failed.Err
	}
	return err
}

// sent is a page as it was sent.
type sent struct {
	url    *url.URL
	source []byte
}

func (s sent) URL() *url.URL { return s.url }

func (s sent) Source() []byte { return s.source }

func (s sent) Closed() int { return 0 }

// Frames returns none: they are not fetched.
func (s sent) Frames() []Frame { return nil }

// Finds holds: what the document proves is all that is known.
func (s sent) Finds(locator.Selector, []int) bool { return true }

// Keeps holds, for want of a browser.
func (s sent) Keeps(Element) bool { return true }

func (s sent) Close() {}
