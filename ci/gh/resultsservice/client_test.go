package resultsservice_test

import (
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/breadcrumb/action/ci/gh/resultsservice"
)

func token(claims string) string {
	return "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".sig"
}

func TestTheTokenNamesTheRun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ token, want string }{
		"the runner's":     {token(`{"scp":"Actions.GenericRead:0 Actions.Results:run-1:job-2 Other:3"}`), ""},
		"empty":            {"", "is not a JSON web token"},
		"two parts":        {"a.b", "is not a JSON web token"},
		"not base64":       {"a.%%%.c", "are not base64"},
		"not JSON":         {token("scp"), "are not JSON"},
		"no scope":         {token(`{}`), "names no run"},
		"a scope cut off":  {token(`{"scp":"Actions.Results:run-1"}`), "names no run"},
		"empty ids":        {token(`{"scp":"Actions.Results::"}`), "names no run"},
		"a line of header": {token(`{"scp":"Actions.Results:a:b"}`) + "\r\nX: y", "characters that no token has"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := resultsservice.New(resultsservice.Options{URL: "https://results.example", Token: c.token, HTTP: http.DefaultClient})
			switch {
			case c.want == "" && err != nil:
				t.Errorf("New = %v", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("New = %v, want %q", err, c.want)
			}
		})
	}
}

// CacheVersion was computed by @actions/cache 6.3.0's getCacheVersion.
func TestCacheVersionIsThatOfActionsCache(t *testing.T) {
	t.Parallel()
	const want = "b1bef8b7ccff10feca318a25f6a237e5fdd684bcd1d0e252997ec6f7e7a6053c"
	if got := resultsservice.CacheVersion("zstd-without-long", "breadcrumb-state"); got != want {
		t.Errorf("version %s, want %s", got, want)
	}
}

func TestStrangeAnswersAreErrors(t *testing.T) {
	t.Parallel()
	const secret = "eyJzZWNyZXQ"
	for name, c := range map[string]struct {
		status int
		answer string
		want   string
	}{
		"a page of HTML":     {502, "<html>Bad gateway</html>", "answered 502: Bad Gateway"},
		"a success of HTML":  {200, "<html>", "read answer"},
		"not ok":             {200, `{"ok":false}`, "refused without a reason"},
		"no address":         {200, `{"ok":true}`, "refused without a reason"},
		"endless":            {200, `{"ok":` + strings.Repeat(" ", 2<<20) + `true}`, "longer than"},
		"words with a token": {400, `{"code":"malformed","msg":"no ` + token(`{"scp":"Actions.Results:a:b","x":"`+secret+`"}`) + `\nsecond line"}`, "no *** second line"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.answer)
			}))
			defer server.Close()
			client, err := resultsservice.New(resultsservice.Options{URL: server.URL, Token: token(`{"scp":"Actions.Results:a:b","x":"` + secret + `"}`), HTTP: server.Client()})
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.CreateArtifact(t.Context(), "name", time.Time{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("CreateArtifact = %v, want %q", err, c.want)
			}
			if errors.Is(err, resultsservice.ErrExists) {
				t.Errorf("%v counts as a name that is taken", err)
			}
		})
	}
}

func FuzzToken(f *testing.F) {
	f.Add(token(`{"scp":"Actions.Results:run-1:job-2"}`))
	f.Add("a.b.c")
	f.Fuzz(func(t *testing.T, token string) {
		_, err := resultsservice.New(resultsservice.Options{URL: "https://results.example", Token: token, HTTP: http.DefaultClient})
		if err == nil && !strings.Contains(token, ".") {
			t.Errorf("%q is a token", token)
		}
	})
}
