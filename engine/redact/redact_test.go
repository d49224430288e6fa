package redact

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/internal/promise"
)

// Their patterns are put together from the prefixes.
func TestTokenFormsCompile(t *testing.T) {
	for _, form := range tokenForms {
		for _, prefix := range form.hints {
			if form.pattern.MatchString(prefix) {
				t.Errorf("the prefix %s alone is a token", prefix)
			}
		}
	}
}

func TestTextMasksSecrets(t *testing.T) {
	for said, want := range map[string]string{
		`login failed for password: S3cr3t-canary-017`:                                 `login failed for password: ***`,
		`{"password":"two words"}`:                                                     `{"password":"***"}`,
		`{\"token\":\"abc-def\"}`:                                                      `{\"token\":\"***\"}`,
		`{ password: 'it\'s', user: 'me' }`:                                            `{ password: '***', user: 'me' }`,
		`DB_PASS=plain;Pwd=abc;Server=x`:                                               `DB_PASS=***;Pwd=***;Server=x`,
		`connect postgres://app:p@ss@db:5432/x?sslmode=off`:                            `connect postgres://***@db:5432/x?sslmode=off`,
		`GET https://abcdef0123456789abcd@host/x`:                                      `GET https://***@host/x`,
		`Authorization: Bearer abc.def`:                                                `Authorization: Bearer ***`,
		`  -H 'authorization: Basic dXNlcjpwYXNz'`:                                     `  -H 'authorization: Basic ***'`,
		`Authorization: Digest username="me", response="x"`:                            `Authorization: Digest ***"me", response="x"`,
		`Cookie: theme=dark; session=abc`:                                              `Cookie: ***`,
		`x-api-key: abcdef`:                                                            `x-api-key: ***`,
		`GET /x?sig=abc123def456&page=2&token=zzz`:                                     `GET /x?sig=***&page=2&token=***`,
		`curl -u me:pass https://x`:                                                    `curl -u *** https://x`,
		`run --api-key abcdef --verbose`:                                               `run --api-key *** --verbose`,
		`<password>two words</password>`:                                               `<password>***</password>`,
		`resolved to <input type="password" value="open sesame" id="x">`:               `resolved to <input type="password" value="***" id="x">`,
		"-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nat x.ts": "***\nat x.ts",
		"-----BEGIN PRIVATE KEY-----\ncut off":                                         "***",
		`sent eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc_def-1 to x`:                     `sent *** to x`,
		`https://hooks.slack.com/services/T0/B0/xyz`:                                   `https://hooks.slack.com/services/***`,
	} {
		if got := Text(said); got != want {
			t.Errorf("%s\n got %s\nwant %s", said, got, want)
		}
	}
}

func TestTextLeavesOrdinaryTextsAlone(t *testing.T) {
	for _, said := range []string{
		`SyntaxError: Unexpected token '}'`, `Unexpected token: <`, `expected token: 'foo'`, `tokens: 5`, `token.ts:120:15`,
		`at Object.token (/x/token.ts:12:5)`, `Basic authentication failed`, `Bearer token missing`, `password: required`, `password: ********`,
		`input[type=password]`, `getByLabel('Password')`, `locator('[name="password"]')`, `login(user=user, password=password)`,
		`const token = await getToken();`, `token=${TOKEN}`, `password = self.password`, `pwd: /home/runner/work`, `https://host:8080/path?email=a@b.c`,
		`git@github.com:breadcrumb/action.git`, `TimeoutError: locator.click: Timeout 30000ms exceeded.`, `Expected: "secret"`, `assert token == expected`,
		`Error: expect(received).toBe(expected)`, `commit 3f786850e387550fdab836ed7e6dc881de23001b`, `sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08`,
		`http://127.0.0.1:4173/products/sku-10293?page=2&sort=name`, `key=value`, `press key: Enter`, `authorization: required`, `Cookie: not set`,
		`task-runner-configuration-1234567890`, `sk-ui-button-primary`, `ac-1`, `node_modules/@playwright/test/lib/index.js:12:3`,
	} {
		if got := Text(said); got != said {
			t.Errorf("%s\nbecame %s", said, got)
		}
	}
}

const (
	digits = "0123456789"
	hex    = digits + "abcdef"
	alnum  = digits + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	upper  = digits + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// TestNoCanaryGetsThrough plants secrets of 40 kinds in the 5 surroundings in which errors
// show them: 200 canaries.
func TestNoCanaryGetsThrough(t *testing.T) {
	r := rand.New(rand.NewSource(20))
	of := func(alphabet string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[r.Intn(len(alphabet))]
		}
		return string(b)
	}
	// What stands before and behind a canary: each kind has a form of its own.
	kinds := map[string]func() (before, canary, behind string){}
	form := func(name, prefix, alphabet string, n int) {
		kinds[name] = func() (string, string, string) { return "", prefix + of(alphabet, n), "" }
	}
	form("github", "ghp_", alnum, 36)
	form("github app", "ghs_", alnum, 36)
	form("github fine-grained", "github_pat_", alnum+"_", 82)
	form("gitlab", "glpat-", alnum, 20)
	form("aws id", "AKIA", upper[10:], 16)
	form("google api", "AIza", alnum+"-_", 35)
	form("google oauth", "ya29.", alnum+"-_", 60)
	form("slack bot", "xoxb-", digits, 24)
	form("stripe", "sk_live_", alnum, 24)
	form("npm", "npm_", alnum, 36)
	form("pypi", "pypi-", alnum, 60)
	form("docker", "dckr_pat_", alnum, 27)
	form("shopify", "shpat_", hex, 32)
	form("digitalocean", "dop_v1_", hex, 64)
	form("hugging face", "hf_", alnum, 34)
	form("openai", "sk-proj-", alnum, 48)
	form("anthropic", "sk-ant-api03-", alnum+"-_", 90)
	form("vault", "hvs.", alnum, 24)
	form("databricks", "dapi", hex, 32)
	form("linear", "lin_api_", alnum, 40)
	form("grafana", "glsa_", alnum, 32)
	form("atlassian", "ATATT3", alnum+"-_", 60)
	form("pulumi", "pul-", hex, 40)
	form("twilio", "SK", hex, 32)
	form("telegram", "1234567890:AA", alnum, 33)
	kinds["sendgrid"] = func() (string, string, string) {
		return "", "SG." + of(alnum, 22) + "." + of(alnum, 43), ""
	}
	kinds["jwt"] = func() (string, string, string) {
		return "", "eyJ" + of(alnum, 20) + "." + of(alnum+"-_", 60) + "." + of(alnum+"-_", 43), ""
	}
	named := func(name, before, behind, alphabet string, n int) {
		kinds[name] = func() (string, string, string) { return before, of(alphabet, n), behind }
	}
	named("password=", "password=", "", alnum, 9)
	named("json", `{"user":"me","password":"`, `"}`, alnum+"!@#$%", 14)
	named("escaped json", `{\"api_key\":\"`, `\"}`, alnum, 20)
	named("environment", "AWS_SECRET_ACCESS_KEY=", "", alnum+"/+", 40)
	named("bearer", "Authorization: Bearer ", "", alnum+"-._~", 32)
	named("x-api-key", "X-Api-Key: ", "", hex, 32)
	named("cookie", "Cookie: sid=", "", alnum, 32)
	named("set-cookie", "set-cookie: session=", "; HttpOnly", alnum, 32)
	named("address", "postgres://app:", "@db.internal:5432/app", alnum, 16)
	named("query", "https://x.test/cb?access_token=", "&state=1", alnum, 24)
	named("signed address", "https://x.blob.core.windows.net/a?se=1&sig=", "", alnum, 40)
	named("flag", "deploy --token ", " --verbose", alnum, 18)
	kinds["basic"] = func() (string, string, string) {
		return "authorization: Basic ", base64.StdEncoding.EncodeToString([]byte("me:" + of(alnum, 12))), ""
	}
	surroundings := []string{
		"Error: request failed: %s",
		"expect(received).toBe(expected)\n\nReceived: %s\n\n    at tests/a.spec.ts:12:3",
		"> 12 | log(`%s`)",
		"AssertionError: assert '%s' == 'x'",
		"[pw:api] %s (GET /login)",
	}
	planted, found := 0, 0
	for name, make := range kinds {
		for _, around := range surroundings {
			before, canary, behind := make()
			planted++
			if got := Text(fmt.Sprintf(around, before+canary+behind)); strings.Contains(got, canary) {
				t.Errorf("%s gets through: %s", name, got)
				continue
			}
			found++
		}
	}
	if found != planted {
		t.Errorf("found %d of %d canaries", found, planted)
	}
	promise.Tried(t, "canaries", planted)
}

// TestTextLeavesTheCorpusAlone reads every line of the reports that other projects
// published and in which nobody put a secret.
func TestTextLeavesTheCorpusAlone(t *testing.T) {
	const corpus = "../../../shared/corpus/junit/dev"
	if _, err := os.Stat(corpus); err != nil {
		t.Skip("no corpus of reports at " + corpus)
	}
	lines := 0
	err := fs.WalkDir(os.DirFS(corpus), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(os.DirFS(corpus), name)
		if err != nil || len(text) > 100<<10 { // the larger ones hold the same lines over and over
			return err
		}
		for line := range strings.Lines(string(text)) {
			lines++
			if got := Text(line); got != line {
				t.Errorf("%s: %.300s\nbecame %.300s", name, line, got)
			}
		}
		return nil
	})
	if err != nil || lines < 5_000 {
		t.Errorf("read %d lines: %v", lines, err)
	}
}

func TestHealMasksWhatElementsSayAndKeepsTheirNames(t *testing.T) {
	e := engine.HealEvent{TestID: "a › token=abcdef", Locator: `[data-token="abc"]`, PageURL: "/x?token=abcdef", Changed: []engine.Change{{What: "name", Was: "password=x1y2", Now: "plain"}}, Original: engine.Fingerprint{
		PageAddress: "/x?token=abcdef", Headline: "password=x1y2", Tag: "input", Text: "key ghp_" + strings.Repeat("a", 36), Neighbours: []string{"plain", "password=x1y2"},
		Attributes: engine.Attributes{{Name: "type", Value: "password"}, {Name: "value", Value: "open sesame"}},
	}}
	want := e
	want.PageURL, want.Original.Text, want.Original.Neighbours = "/x?token=***", "key ***", []string{"plain", "password=***"}
	want.Changed = []engine.Change{{What: "name", Was: "password=***", Now: "plain"}}
	want.Original.PageAddress, want.Original.Headline = "/x?token=***", "password=***"
	want.Original.Attributes = engine.Attributes{{Name: "type", Value: "password"}, {Name: "value", Value: "***"}}
	if diff := cmp.Diff(want, Heal(e)); diff != "" {
		t.Error(diff)
	}
	if e.Original.Attributes[1].Value != "open sesame" || e.Original.Neighbours[1] != "password=x1y2" {
		t.Error("the event itself was changed")
	}
}

func TestPropertyIsMaskedByItsName(t *testing.T) {
	for name, want := range map[string]string{"DB_PASSWORD": "***", "apiKey": "***", "feature": "two words", "browser": "two words"} {
		if got := Property(name, "two words"); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func TestValuesAreMaskedInEveryForm(t *testing.T) {
	v := NewValues(`p&ss "word"`, "one-line\nother-line", "abc", "")
	for said, want := range map[string]string{
		`said p&ss "word" aloud`: "said *** aloud", `{"x":"p&ss \"word\""}`: `{"x":"***"}`, `?q=p%26ss+%22word%22`: "?q=***",
		base64.StdEncoding.EncodeToString([]byte(`p&ss "word"`)): "***", "the other-line": "the ***", "abc is too short": "abc is too short",
	} {
		if got := v.Text(said); got != want {
			t.Errorf("%s became %s, want %s", said, got, want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add(`password="a\"b" token: 'x1y2z3' https://a:b@c`)
	f.Add("-----BEGIN PRIVATE KEY-----\npassword=x Authorization: Basic dXNlcjpwYXNz")
	f.Fuzz(func(t *testing.T, s string) {
		once := Text(s)
		if twice := Text(once); twice != once {
			t.Errorf("%q\nbecame %q\nthen   %q", s, once, twice)
		}
	})
}

func BenchmarkText(b *testing.B) {
	text := strings.Repeat("TimeoutError: locator.click: Timeout 30000ms exceeded.\n    at /home/runner/work/shop/tests/checkout.spec.ts:12:3\n", 40)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Text(text)
	}
}
