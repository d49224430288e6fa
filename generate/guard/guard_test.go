package guard

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestAddressesThatAreNotPublicAreRefused(t *testing.T) {
	for _, address := range strings.Fields(`127.0.0.1 127.8.9.1 0.0.0.0 0.1.2.3 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254
		100.64.0.1 100.127.255.255 192.0.0.8 192.0.2.1 198.18.0.1 198.51.100.7 203.0.113.9 192.88.99.1 224.0.0.1 240.0.0.1 255.255.255.255
		:: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::7f00:1
		2002:7f00:1:: 2002:a9fe:a9fe::1 2001::1 2001:0:7f00:1:: 2001:db8::1 3fff::1 fe80::1 fe80::1%eth0 fec0::1 fc00::1 fd12:3456::1 ff02::1 100::1
		2a00:1450::5efe:127.0.0.1 2a00:1450::200:5efe:a00:1 5f00::1`) {
		if err := Public(netip.MustParseAddr(address)); err == nil {
			t.Errorf("%s passes", address)
		}
	}
	if Public(netip.Addr{}) == nil {
		t.Error("no address passes")
	}
}

func TestPublicAddressesPass(t *testing.T) {
	for _, address := range strings.Fields("1.1.1.1 8.8.8.8 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 ::ffff:8.8.8.8 2606:4700::1111 2a00:1450:4001::200e") {
		if err := Public(netip.MustParseAddr(address)); err != nil {
			t.Error(err)
		}
	}
}

func TestClientDialsNoPrivateAddress(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	port := server.URL[strings.LastIndex(server.URL, ":"):]
	t.Setenv("HTTP_PROXY", server.URL)
	t.Setenv("http_proxy", server.URL)
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::1]", "2130706433", "0x7f.1", "[::]", "0.0.0.0"} {
		err := get(t, Client(false, 5*time.Second), "http://"+host+port)
		if err == nil {
			t.Errorf("%s is connected to", host)
		}
		var refused AddressError
		if !errors.As(err, &refused) && !strings.Contains(err.Error(), "lookup") {
			t.Errorf("%s: %v", host, err)
		}
	}
	if err := get(t, Client(true, 5*time.Second), server.URL); err != nil {
		t.Error(err)
	}
}

// TestRedirectsAreChecked takes the first address as allowed, as if it were a
// public one, and every other as it is.
func TestRedirectsAreChecked(t *testing.T) {
	for _, to := range []string{"http://169.254.169.254/latest/meta-data", "http://127.0.0.1:1/", "http://[::ffff:127.0.0.1]/", "http://[64:ff9b::7f00:1]/", "http://[::1]/",
		"file:///etc/passwd", "gopher://x/", "https://example.com/"} {
		server := httptest.NewServer(http.RedirectHandler(to, http.StatusFound))
		err := get(t, Client(true, 5*time.Second), server.URL)
		var origin OriginError
		if !errors.As(err, &origin) {
			t.Errorf("%s: %v", to, err)
		}
		server.Close()
	}
}

func TestTooManyRedirects(t *testing.T) {
	server := httptest.NewServer(http.RedirectHandler("/again", http.StatusFound))
	defer server.Close()
	if err := get(t, Client(true, 5*time.Second), server.URL); err == nil || !strings.Contains(err.Error(), "too many redirects") {
		t.Error(err)
	}
}

func TestSameOrigin(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"http://a/", "http://a:80/x?y", true},
		{"https://a/", "https://a:443/", true},
		{"http://a/", "https://a/", false},
		{"http://a/", "http://b/", false},
		{"http://a/", "http://a:8080/", false},
		{"http://a/", "http://a.b/", false},
		{"file:///a", "file:///a", false},
	} {
		a, _ := url.Parse(c.a)
		b, _ := url.Parse(c.b)
		if SameOrigin(a, b) != c.same {
			t.Errorf("%s and %s: want %v", c.a, c.b, c.same)
		}
	}
}

func get(t *testing.T, client *http.Client, address string) error {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err == nil {
		response.Body.Close()
	}
	return err
}
