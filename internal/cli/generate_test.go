package cli_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdShop serves a release of the example's shop: shop before
func cmdShop(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "shop RELEASE")
	pages := http.FileServer(http.Dir(filepath.Join("..", "..", "examples", "shop", "app", args[0])))
	all := http.NewServeMux()
	all.Handle("/", pages)
	all.Handle("/inside", http.RedirectHandler("http://169.254.169.254/latest/meta-data", http.StatusFound))
	all.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<p>" + strings.Repeat("tea ", 500)))
	})
	server := httptest.NewServer(all)
	ts.Defer(server.Close)
	ts.Setenv("SHOP", server.URL)
}
