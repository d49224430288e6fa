package generate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/breadcrumb/action/generate/guard"
)

// maxLinks bounds the links that are remembered for later.
const maxLinks = 2_000

// Crawl reads the page at address and, to the depth of the options, those of
// the same origin that it links to. A first page that cannot be read is an
// error; any other is left out and noted.
func Crawl(ctx context.Context, address string, o Options) (Site, error) {
	start, err := parseAddress(address)
	if err != nil {
		return Site{}, err
	}
	c := newCrawl(start, o)
	for c.next < len(c.queue) && len(c.site.Pages) < c.o.MaxPages {
		at := c.queue[c.next]
		c.next++
		if err := c.visitPage(ctx, at); err != nil {
			if len(c.site.Pages) == 0 || ctx.Err() != nil {
				return Site{}, fmt.Errorf("read %s: %w", at.url.Redacted(), err)
			}
			c.addNote("left out %s: %v", at.url.Redacted(), err)
		}
	}
	if left := len(c.queue) - c.next; left > 0 {
		c.addNote("stopped after %d pages; %d more were found (--max-pages)", len(c.site.Pages), left)
	}
	if c.unseen > 0 {
		c.addNote("%d of %d pages load scripts or style sheets, which were not seen: --browser proves the tests with them", c.unseen, len(c.site.Pages))
	}
	c.linkPages()
	return c.site, nil
}

// visit is a page to visit.
type visit struct {
	url   *url.URL
	depth int
}

// crawl is the work of one Crawl.
type crawl struct {
	o       Options
	browser Browser
	site    Site
	unseen  int // pages whose scripts or style sheets were not seen
	queue   []visit
	next    int
	known   map[string]bool // addresses in the queue
	seen    map[string]bool // addresses that pages were read from
}

func newCrawl(start *url.URL, o Options) *crawl {
	o.MaxPages = cmp.Or(max(o.MaxPages, 0), DefaultMaxPages)
	o.MaxBytes = cmp.Or(max(o.MaxBytes, 0), DefaultMaxBytes)
	o.Timeout = cmp.Or(max(o.Timeout, 0), DefaultTimeout)
	o.TestIDAttribute = cmp.Or(o.TestIDAttribute, "data-testid")
	o.Depth = min(max(o.Depth, 0), MaxDepth)
	c := &crawl{o: o, browser: o.Browser, known: map[string]bool{}, seen: map[string]bool{}}
	if c.browser == nil {
		c.browser = reader{guard.Client(o.AllowPrivate, min(o.Timeout, 30*time.Second)), o.MaxBytes}
	}
	c.site = Site{URL: start.String(), Origin: start.Scheme + "://" + start.Host}
	c.addLink(start, 0)
	return c
}

func (c *crawl) addNote(format string, args ...any) {
	c.site.Notes = append(c.site.Notes, fmt.Sprintf(format, args...))
}

func (c *crawl) addLink(u *url.URL, depth int) {
	if !c.known[u.String()] && len(c.known) < maxLinks {
		c.known[u.String()] = true
		c.queue = append(c.queue, visit{u, depth})
	}
}

// visitPage reads one page and remembers its links.
func (c *crawl) visitPage(ctx context.Context, at visit) error {
	if c.o.Progress != nil {
		c.o.Progress(at.url.Redacted(), len(c.site.Pages), len(c.queue)-c.next)
	}
	ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	view, err := c.browser.Open(ctx, at.url)
	if err != nil {
		return c.explainTimeout(ctx, err)
	}
	defer view.Close()
	where := canonical(view.URL())
	if !guard.SameOrigin(at.url, where) {
		return guard.OriginError{From: at.url, To: where}
	}
	if c.seen[where.String()] {
		return nil // it is there under the address that leads here
	}
	page, links, err := c.readPage(ctx, view, where)
	if err != nil {
		return err
	}
	c.seen[where.String()], c.known[where.String()] = true, true
	c.site.Pages = append(c.site.Pages, page)
	if at.depth < c.o.Depth {
		for _, link := range links {
			if guard.SameOrigin(where, link) && !isDestructive(link) {
				c.addLink(link, at.depth+1)
			}
		}
	}
	return nil
}

// explainTimeout returns an error that says in plain words that time is up.
func (c *crawl) explainTimeout(ctx context.Context, err error) error {
	late, ok := errors.AsType[net.Error](err)
	_, refused := errors.AsType[guard.AddressError](err)
	if !refused && (ok && late.Timeout() || errors.Is(ctx.Err(), context.DeadlineExceeded)) {
		return fmt.Errorf("it takes longer than %s (--timeout)", c.o.Timeout)
	}
	return err
}

// linkPages says of every link to a page of the crawl where a click leads. A
// link that an earlier page has, too, is tested there.
func (c *crawl) linkPages() {
	paths := map[string]string{}
	for _, p := range c.site.Pages {
		paths[p.URL] = p.Path
	}
	tested := map[[2]string]bool{}
	for _, p := range c.site.Pages {
		for i := range p.Elements {
			e := &p.Elements[i]
			link := [2]string{e.Found, cmp.Or(e.target, e.Href)}
			if e.Href == "" || tested[link] || e.target == p.URL {
				e.Href = ""
				continue
			}
			tested[link] = true
			e.Leads = paths[e.target]
		}
	}
}

// parseAddress reads the address that a user gave.
func parseAddress(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, fmt.Errorf("address: %w", err)
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return nil, fmt.Errorf("address %q: want http://… or https://…", address)
	case u.User != nil:
		return nil, errors.New("address: leave the name and password out; they would be written into the tests")
	}
	return canonical(u), nil
}

// canonical returns an address as a browser writes it, without a fragment, so
// that equal ones are equal as text.
func canonical(u *url.URL) *url.URL {
	c := *u
	c.User, c.Fragment, c.RawFragment, c.Opaque = nil, "", "", ""
	c.Scheme, c.Host = strings.ToLower(c.Scheme), strings.ToLower(c.Host)
	if c.Scheme == "http" {
		c.Host = strings.TrimSuffix(c.Host, ":80")
	} else {
		c.Host = strings.TrimSuffix(c.Host, ":443")
	}
	if c.Path == "" {
		c.Path = "/"
	}
	c.RawQuery, c.ForceQuery = queryEncoded(c.RawQuery), false
	return &c
}

// queryEncoded encodes what may not stand in a query
// (https://url.spec.whatwg.org/#special-query-percent-encode-set).
func queryEncoded(query string) string {
	var b strings.Builder
	for i := range len(query) {
		if c := query[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"#<>'`, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
