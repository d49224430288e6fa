package generate

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// ollama answers as the server does, with one text.
func ollama(t *testing.T, answer func(prompt string) string) Ollama {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q question
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.URL.Path != "/api/generate" || q.Model != "small" || q.Stream {
			t.Errorf("%s %+v %v", r.URL.Path, q, err)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"model": q.Model, "response": answer(q.Prompt), "done": true})
	}))
	t.Cleanup(server.Close)
	return Ollama{Model: "small", Host: strings.TrimPrefix(server.URL, "http://")}
}

func loginSite(t *testing.T) Site {
	t.Helper()
	site, err := Crawl(t.Context(), "https://shop.example/login.html", Options{Browser: folder(shop + "/before")})
	must(t, err)
	return site
}

func TestOllamaWritesComments(t *testing.T) {
	site := loginSite(t)
	o := ollama(t, func(prompt string) string {
		if !strings.Contains(prompt, `6 password "Password"`) {
			t.Errorf("asked %s", prompt)
		}
		return `{"6": "Where the visitor's secret goes.", "99": "nothing", "1": 5}`
	})
	must(t, o.Describe(t.Context(), &site))
	for lang, want := range map[Lang]string{
		Go:         "// Where the visitor's secret goes.",
		TypeScript: "  /** Where the visitor's secret goes. */\n  readonly passwordInput: Locator;",
		Python:     "        # Where the visitor's secret goes.\n        self.password_input",
	} {
		files, err := Files(site, lang)
		must(t, err)
		if text := fmt.Sprint(files); !strings.Contains(text, want) {
			t.Errorf("%s: no %q", lang, want)
		}
	}
}

func TestHostileAnswersOfAModelAreComments(t *testing.T) {
	for _, s := range hostileTexts() {
		site := loginSite(t)
		docs := map[string]string{}
		for i := range site.Pages[0].Elements {
			docs[fmt.Sprint(i+1)] = s
		}
		answer, err := json.Marshal(docs)
		must(t, err)
		must(t, site.Pages[0].setComments([]byte(`{"response":`+string(must1(json.Marshal(string(answer))))+`}`)))
		for _, lang := range Langs() {
			files, err := Files(site, lang)
			must(t, err)
			for _, f := range files {
				checkFile(t, lang, f)
			}
		}
	}
}

func must1(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func TestWithoutAnAnswerNothingIsDescribed(t *testing.T) {
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	defer silent.Close()
	for name, o := range map[string]Ollama{
		"no JSON":   ollama(t, func(string) string { return "Sure! Here you go" }),
		"a list":    ollama(t, func(string) string { return "[1]" }),
		"large":     ollama(t, func(string) string { return strings.Repeat("x", ollamaBytes) }),
		"no server": {Model: "small", Host: "127.0.0.1:1"},
		"no host":   {Model: "small", Host: "ftp://x"},
		"silent":    {Model: "small", Host: silent.URL, Timeout: 10 * time.Millisecond},
	} {
		site := loginSite(t)
		if err := o.Describe(t.Context(), &site); err == nil {
			t.Errorf("%s: no error", name)
		}
		for _, e := range site.Pages[0].Elements {
			if e.Doc != "" {
				t.Errorf("%s: %q", name, e.Doc)
			}
		}
	}
}
