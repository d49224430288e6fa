package guard

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// through returns a client that uses a proxy with a password.
func through(t *testing.T, p *Proxy, password string) *http.Client {
	t.Helper()
	address, err := url.Parse(p.Address)
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword(p.User, password)
	transport := &http.Transport{Proxy: http.ProxyURL(address), DisableKeepAlives: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 10 * time.Second}
}

func listen(t *testing.T, allowPrivate bool) *Proxy {
	t.Helper()
	p, err := ListenProxy(t.Context(), allowPrivate, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	p.Allow(1 << 20)
	return p
}

// ask returns the status and the text of an answer.
func ask(t *testing.T, client *http.Client, address string) (int, string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

// servers are one of HTTP and one of TLS that both say hello and count.
func servers(t *testing.T, text string) (plain, secure *httptest.Server, asked *int) {
	t.Helper()
	asked = new(int)
	hello := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked++
		if r.Header.Get("Proxy-Authorization") != "" {
			t.Error("the server is told the proxy's password")
		}
		_, _ = io.WriteString(w, text)
	})
	plain, secure = httptest.NewServer(hello), httptest.NewUnstartedServer(hello)
	secure.StartTLS()
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	return plain, secure, asked
}

func TestProxyForwards(t *testing.T) {
	plain, secure, _ := servers(t, "hello")
	p := listen(t, true)
	client := through(t, p, p.Password)
	client.Transport.(*http.Transport).TLSClientConfig = secure.Client().Transport.(*http.Transport).TLSClientConfig
	for _, address := range []string{plain.URL, secure.URL} {
		if status, text, err := ask(t, client, address); status != http.StatusOK || text != "hello" || err != nil {
			t.Errorf("%s: %d %q %v", address, status, text, err)
		}
	}
}

func TestProxyWantsItsPassword(t *testing.T) {
	plain, secure, asked := servers(t, "hello")
	client := through(t, listen(t, true), "guess")
	if status, _, _ := ask(t, client, plain.URL); status != http.StatusProxyAuthRequired {
		t.Errorf("status %d", status)
	}
	if _, _, err := ask(t, client, secure.URL); err == nil {
		t.Error("it connects")
	}
	if *asked > 0 {
		t.Error("a server was asked")
	}
}

func TestProxyRefusesPrivateAddresses(t *testing.T) {
	plain, secure, asked := servers(t, "hello")
	p := listen(t, false)
	client := through(t, p, p.Password)
	for _, address := range []string{plain.URL, strings.Replace(plain.URL, "127.0.0.1", "localhost", 1), "http://169.254.169.254/", "http://[64:ff9b::7f00:1]/", p.Address} {
		if status, _, err := ask(t, client, address); status != http.StatusBadGateway {
			t.Errorf("%s: %d %v", address, status, err)
		}
	}
	if _, _, err := ask(t, client, secure.URL); err == nil {
		t.Error("it connects")
	}
	var refused AddressError
	if !errors.As(p.Refused(), &refused) || *asked > 0 {
		t.Errorf("refused %v, %d asked", p.Refused(), *asked)
	}
	p.Allow(1)
	if p.Refused() != nil {
		t.Errorf("still refused: %v", p.Refused())
	}
}

func TestProxyEndsWhatIsTooMuch(t *testing.T) {
	plain, _, _ := servers(t, strings.Repeat("x", 500_000))
	p := listen(t, true)
	p.Allow(100_000)
	if _, text, err := ask(t, through(t, p, p.Password), plain.URL); err == nil || len(text) > 200_000 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}
