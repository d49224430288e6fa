package crumb_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/breadcrumb/action/crumb"
)

const before = `<body><header><h1>Corner Shop</h1><nav><a href="/">Home</a><a href="/cart">Cart</a></nav></header>
<main><form onsubmit="return false"><label>Email <input id="mail" name="email"></label><label>Password <input type=password id=pw name=password></label>
<button id="login-btn" class="btn primary" onclick="window.hit='login'">Log in</button><button id="reset" type=button onclick="window.hit='reset'">Forgot password</button></form></main></body>`
const after = `<body><header><h1>Corner Shop</h1><nav><a href="/">Home</a><a href="/cart">Cart</a></nav></header>
<main><form onsubmit="return false"><label>Email <input id="mail" name="email"></label><label>Password <input type=password id=pw name=password></label>
<button id="sign-in" class="btn primary" onclick="window.hit='login'">Log in</button><button id="reset" type=button onclick="window.hit='reset'">Forgot password</button></form></main></body>`

func TestSpike(t *testing.T) {
	s := newSite(t, map[string]string{"/": before})
	dir := t.TempDir()
	o := crumb.Options{DB: filepath.Join(dir, "x.db"), Events: filepath.Join(dir, "x.ndjson"), Timeout: 500}
	p := wrapped(t, o, s.URL)
	start := time.Now()
	must(t, p.Locator("#login-btn").Click())
	t.Log("click", time.Since(start))
	start = time.Now()
	must(t, p.Close())
	t.Log("close", time.Since(start))
	s.set("/", after)
	p = wrapped(t, o, s.URL)
	start = time.Now()
	err := p.Locator("#login-btn").Click()
	t.Log("heal", time.Since(start), err)
	v, _ := p.Evaluate("window.hit")
	t.Log(v)
	must(t, p.Close())
	b, _ := os.ReadFile(o.Events)
	t.Log(string(b))
	crumb.Summary(os.Stdout)
}
