package generate

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/internal/browsertest"
)

// chromium starts a browser of our own, as a user would.
func chromium(t *testing.T, o Options) *Chromium {
	t.Helper()
	browsertest.Browser(t) // or say that there is none
	program, err := browsertest.Chromium()
	must(t, err)
	c, err := OpenChromium(t.Context(), program, o)
	must(t, err)
	t.Cleanup(c.Close)
	return c
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
	o := Options{AllowPrivate: true, Timeout: 30 * time.Second}
	o.Browser = chromium(t, o)
	site, err := Crawl(t.Context(), server.URL+"/built.html", o)
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
	o := Options{AllowPrivate: true, Timeout: 30 * time.Second}
	o.Browser = chromium(t, o)
	_, err := Crawl(t.Context(), server.URL+"/", o)
	if err == nil || !strings.Contains(err.Error(), "/: net::ERR_") || strings.Contains(err.Error(), "Goto") {
		t.Errorf("got %v", err)
	}
}

// TestTestsOfEveryControlPass runs the tests of a page with all kinds of
// controls, as Chromium proved them.
func TestTestsOfEveryControlPass(t *testing.T) {
	out := runSite(t, readInChromium(t, "kitchen.html"), TypeScript)
	if !strings.Contains(out, "5 passed") {
		t.Errorf("%s", out)
	}
}

// TestChromiumConnectsOnlyThroughTheProxy lets a page try everything that opens
// a connection to a server on loopback.
func TestChromiumConnectsOnlyThroughTheProxy(t *testing.T) {
	var asked atomic.Int32
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			conn.Close()
		}
	}()
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	must(t, err)
	defer packets.Close()
	go func() {
		buffer := make([]byte, 100)
		for {
			if _, _, err := packets.ReadFrom(buffer); err != nil {
				return
			}
			asked.Add(1)
		}
	}()
	c := chromium(t, Options{})
	page, err := c.browser.NewPage()
	must(t, err)
	tcp, udp := listener.Addr().(*net.TCPAddr).Port, packets.LocalAddr().(*net.UDPAddr).Port
	attempts := strings.NewReplacer("TCP", fmt.Sprint(tcp), "UDP", fmt.Sprint(udp)).Replace(`<link rel=preconnect href="http://127.0.0.1:TCP/">
		<link rel=dns-prefetch href="//localhost:TCP"><img src="http://127.0.0.1:TCP/a"><img src="http://localhost:TCP/b"><img src="http://[::ffff:127.0.0.1]:TCP/c">
		<script src="https://127.0.0.1:TCP/d"></script><iframe src="http://127.0.0.1:TCP/e"></iframe>
		<script>fetch("http://127.0.0.1:TCP/f", {mode: "no-cors"}).catch(() => 0); new WebSocket("ws://127.0.0.1:TCP/g"); navigator.sendBeacon("http://127.0.0.1:TCP/h");
		const peer = new RTCPeerConnection({iceServers: [{urls: ["stun:127.0.0.1:UDP", "turn:127.0.0.1:TCP?transport=tcp"], username: "a", credential: "b"}]});
		peer.createDataChannel("x"); peer.createOffer().then((o) => peer.setLocalDescription(o));
		try { new WebTransport("https://127.0.0.1:UDP/i") } catch {}</script>`)
	must(t, page.SetContent(attempts))
	time.Sleep(2 * time.Second) // for what a page does behind its own back
	if n := asked.Load(); n > 0 {
		t.Errorf("%d connections went through", n)
	}
	if c.proxy.Refused() == nil {
		t.Error("the proxy was asked for nothing")
	}
}

func TestChromiumRefusesPrivateAddresses(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	o := Options{Timeout: 20 * time.Second}
	o.Browser = chromium(t, o)
	_, err := Crawl(t.Context(), server.URL, o)
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
