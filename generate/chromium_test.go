package generate

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/internal/browsertest"
)

// chromiums are the browsers that all tests here share, by whether they open
// private addresses.
var chromiums = map[bool]func() (*Chromium, error){true: startChromium(true), false: startChromium(false)}

func startChromium(allowPrivate bool) func() (*Chromium, error) {
	return sync.OnceValues(func() (*Chromium, error) {
		program, err := browsertest.Chromium()
		if err != nil {
			return nil, err
		}
		c, err := OpenChromium(context.Background(), program, patient(allowPrivate))
		if err == nil {
			browsertest.AtEnd(c.Close)
		}
		return c, err
	})
}

// patient returns options with so much time that only what hangs has too little.
func patient(allowPrivate bool) Options {
	return Options{AllowPrivate: allowPrivate, Timeout: 10 * time.Minute}
}

// inChromium returns options to read pages in a browser, as a user would.
func inChromium(t *testing.T, allowPrivate bool) Options {
	t.Helper()
	browsertest.Browser(t) // or say that there is none
	o := patient(allowPrivate)
	c, err := chromiums[allowPrivate]()
	must(t, err)
	o.Browser = c
	return o
}

// built is a page that a script builds and a style sheet hides parts of.
const built = `<!doctype html><title>Built</title><style>.off { display: none } .sr { position: absolute; width: 0; height: 0; padding: 0; border: 0; overflow: hidden }</style>
<body><nav class="off"><a href="/a">Menu</a></nav><main></main>
<script>document.querySelector("main").innerHTML = '<h1>Built</h1><nav><a href="/built.html?2">Menu</a></nav><label>Name <input id=n></label>' +
	'<label>Upper <input id=u oninput></label><label>Agree <input type=checkbox id=c></label><button class=sr>None</button><button>Go</button>';
document.querySelector("#u").removeAttribute("oninput");
document.querySelector("#u").addEventListener("input", (e) => { e.target.value = e.target.value.toUpperCase(); });
document.querySelector("#c").addEventListener("click", (e) => e.preventDefault());</script>`

func TestRenderedPagesAreReadAsTheyAreShown(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, built) }))
	defer server.Close()
	site, err := Crawl(t.Context(), server.URL+"/built.html", inChromium(t, true))
	must(t, err)
	var got []string
	for _, e := range site.Pages[0].Elements {
		got = append(got, locator.Print(e.Locator, locator.Python)+" "+e.Fill+string(e.Check))
	}
	want := []string{`page.get_by_role("heading", name="Built") `, `page.get_by_role("link", name="Menu") `, `page.get_by_label("Name") Sample text`,
		`page.get_by_label("Upper") `, `page.get_by_label("Agree") `, `page.get_by_role("button", name="Go") `}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	if notes := strings.Join(site.Pages[0].Notes, "\n"); !strings.Contains(notes, "2 elements are only looked at") {
		t.Errorf("notes %q", notes)
	}
}

func TestAPageThatDoesNotOpenSaysWhyInOneLine(t *testing.T) {
	server := httptest.NewServer(http.RedirectHandler("http://127.0.0.1:1/", http.StatusFound))
	defer server.Close()
	_, err := Crawl(t.Context(), server.URL+"/", inChromium(t, true))
	if err == nil || !strings.Contains(err.Error(), "/: net::ERR_") || strings.Contains(err.Error(), "Goto") {
		t.Errorf("got %v", err)
	}
}

// counter counts what reaches a server on loopback.
type counter struct {
	tcp   net.Listener
	udp   net.PacketConn
	asked atomic.Int32
	both  sync.WaitGroup // until the test's own connection and packet came, behind all others
}

func countConnections(t *testing.T) *counter {
	t.Helper()
	c := &counter{}
	var err error
	c.tcp, err = net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { c.tcp.Close() })
	c.udp, err = net.ListenPacket("udp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { c.udp.Close() })
	c.both.Go(func() {
		for {
			conn, err := c.tcp.Accept()
			if err != nil {
				return
			}
			first := make([]byte, 1)
			n, _ := conn.Read(first)
			conn.Close()
			if n == 1 && first[0] == 0 {
				return
			}
			c.asked.Add(1)
		}
	})
	c.both.Go(func() {
		packet := make([]byte, 100)
		for {
			n, _, err := c.udp.ReadFrom(packet)
			if err != nil || n == 1 {
				return
			}
			c.asked.Add(1)
		}
	})
	return c
}

// count returns how many connections and packets came so far.
func (c *counter) count(t *testing.T) int {
	t.Helper()
	for network, address := range map[string]net.Addr{"tcp": c.tcp.Addr(), "udp": c.udp.LocalAddr()} {
		conn, err := net.Dial(network, address.String())
		must(t, err)
		_, err = conn.Write([]byte{0})
		must(t, err)
		defer conn.Close()
	}
	c.both.Wait()
	return int(c.asked.Load())
}

// attempts is a page that tries everything that opens a connection. The promise
// all is kept when each of them has come to an end.
const attempts = `<link rel=preconnect href="http://127.0.0.1:{tcp}/"><link rel=dns-prefetch href="//localhost:{tcp}">
<img src="http://127.0.0.1:{tcp}/a"><img src="http://localhost:{tcp}/b"><img src="http://[::ffff:127.0.0.1]:{tcp}/c"><iframe src="http://127.0.0.1:{tcp}/e"></iframe>
<script src="https://127.0.0.1:{tcp}/d"></script><script>
navigator.sendBeacon("http://127.0.0.1:{tcp}/h");
const socket = new WebSocket("ws://127.0.0.1:{tcp}/g");
const peer = new RTCPeerConnection({iceServers: [{urls: ["stun:127.0.0.1:{udp}", "turn:127.0.0.1:{tcp}?transport=tcp"], username: "a", credential: "b"}]});
peer.createDataChannel("x"); peer.createOffer().then((o) => peer.setLocalDescription(o));
let transport = Promise.reject();
try { transport = new WebTransport("https://127.0.0.1:{udp}/i").ready } catch {}
const all = Promise.allSettled([fetch("http://127.0.0.1:{tcp}/f", {mode: "no-cors"}), transport, new Promise((done) => socket.onclose = done),
	new Promise((done) => peer.onicegatheringstatechange = () => peer.iceGatheringState === "complete" && done())]);
</script>`

// TestChromiumConnectsOnlyThroughTheProxy lets a page try everything that opens
// a connection to a server on loopback.
func TestChromiumConnectsOnlyThroughTheProxy(t *testing.T) {
	reached := countConnections(t)
	c, ok := inChromium(t, false).Browser.(*Chromium)
	if !ok {
		t.Fatal("no Chromium")
	}
	c.proxy.Allow(loadBytes)
	page, err := c.browser.NewPage()
	must(t, err)
	defer page.Close()
	tcp, udp := reached.tcp.Addr().(*net.TCPAddr).Port, reached.udp.LocalAddr().(*net.UDPAddr).Port
	page.OnPageError(func(err error) { t.Error(err) })
	must(t, page.SetContent(strings.NewReplacer("{tcp}", fmt.Sprint(tcp), "{udp}", fmt.Sprint(udp)).Replace(attempts)))
	_, err = page.Evaluate("() => all.then(() => 0)")
	must(t, err)
	if n := reached.count(t); n > 0 {
		t.Errorf("%d connections went through", n)
	}
	if c.proxy.Refused() == nil {
		t.Error("the proxy was asked for nothing")
	}
}

func TestChromiumRefusesPrivateAddresses(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, err := Crawl(t.Context(), server.URL, inChromium(t, false))
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1 is not an address of the public internet") {
		t.Error(err)
	}
}

func TestWithoutADriverTheErrorSaysWhatToInstall(t *testing.T) {
	t.Setenv("PLAYWRIGHT_DRIVER_PATH", t.TempDir())
	if _, err := OpenChromium(t.Context(), "", Options{}); err == nil || !strings.Contains(err.Error(), "install --with-deps chromium") {
		t.Error(err)
	}
	if _, err := os.Stat("ms-playwright"); err == nil {
		t.Error("something was installed")
	}
}
