package junit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/junit/identity"
)

func TestIdentity(t *testing.T) {
	const root = "/work/shop"
	for name, c := range map[string]struct{ report, id string }{
		"Playwright": {
			`<testsuites id="" name=""><testsuite name="login.spec.ts" hostname="chromium"><testcase name="Login › signs in" classname="login.spec.ts"/></testsuite></testsuites>`,
			"login.spec.ts › Login › signs in [chromium]",
		},
		"Playwright without a project": {
			`<testsuites id="" name=""><testsuite name="sub/a.spec.ts" hostname=""><testcase name="signs in" classname="sub/a.spec.ts"/></testsuite></testsuites>`,
			"sub/a.spec.ts › signs in",
		},
		"Playwright on Windows": {
			`<testsuites id="" name=""><testsuite name="sub\a.spec.ts" hostname="chromium"><testcase name="signs in" classname="sub\a.spec.ts"/></testsuite></testsuites>`,
			"sub/a.spec.ts › signs in [chromium]",
		},
		"Vitest: its host name is a machine": {
			`<testsuites name="vitest tests"><testsuite name="src/a.test.ts" hostname="ci-7"><testcase classname="src/a.test.ts" name="cart &gt; adds"/></testsuite></testsuites>`,
			"src/a.test.ts › cart › adds",
		},
		"Jest with files as suites": {
			`<testsuites name="jest tests"><testsuite name="src/a.test.ts"><testcase classname="cart" name="adds"/></testsuite></testsuites>`,
			"src/a.test.ts › cart › adds",
		},
		"Jest as it comes": {
			`<testsuites name="jest tests"><testsuite name="cart"><testcase classname="cart adds" name="cart adds"/></testsuite></testsuites>`,
			"cart › cart adds",
		},
		"Mocha": {
			`<testsuites name="Mocha Tests"><testsuite name="Root Suite" file="/work/shop/test/a.spec.js"/><testsuite name="cart" file="/work/shop/test/a.spec.js"><testcase name="cart adds" classname="adds"/></testsuite></testsuites>`,
			"test/a.spec.js › cart › cart adds",
		},
		"pytest": {
			`<testsuite name="pytest"><testcase classname="tests.test_login.TestLogin" name="test_ok"/></testsuite>`,
			"tests/test_login.py::TestLogin::test_ok",
		},
		"pytest with nested classes and a parameter": {
			`<testsuite name="pytest"><testcase classname="tests.test_login.TestLogin.TestAdmin" name="test_ok[a/b.c]"/></testsuite>`,
			"tests/test_login.py::TestLogin::TestAdmin::test_ok[a/b.c]",
		},
		"pytest names an inherited test's file": {
			`<testsuite name="pytest"><testcase classname="tests.test_a.TestA" name="test_ok" file="tests/base.py" line="3"/></testsuite>`,
			"tests/test_a.py::TestA::test_ok",
		},
		"pytest under another suite name": {
			`<testsuite name="my suite"><testcase classname="tests.test_a.lower" name="test_ok" file="tests/test_a.py"/></testsuite>`,
			"tests/test_a.py::lower::test_ok",
		},
		"unittest without its start time": {
			`<testsuite name="test.TestA-20230222165213" file="test.py"><testcase classname="test.TestA" name="test_ok" file="test.py"/></testsuite>`,
			"test.py › test.TestA › test_ok",
		},
		"ExUnit's file has a line": {
			`<testsuite name="Elixir.CartTest"><testcase classname="Elixir.CartTest" name="test adds" file="test/cart_test.exs:3"/></testsuite>`,
			"test/cart_test.exs › Elixir.CartTest › test adds",
		},
		"Karma without the browser's version": {
			`<testsuite name="Chrome Headless 120.0.0.0 (Linux x86_64)"><testcase classname="Chrome_Headless_120_0_0_0_(Linux_x86_64).Cart" name="Cart adds"/></testsuite>`,
			"Chrome_Headless.Cart › Chrome Headless › Cart adds",
		},
		"WebdriverIO without the browser's version": {
			`<testsuite name="My Login"><testcase classname="chrome.120_0_6099_109.linux.My_Login" name="should login"/></testsuite>`,
			"chrome.My_Login › My Login › should login",
		},
		"TestCafe without its browsers": {
			`<testsuite name="TestCafe Tests: Chrome 120.0.0.0 / Linux 0.0"><testcase classname="Login" name="signs in" file="/work/shop/tests/a.test.js"/></testsuite>`,
			"tests/a.test.js › Login › signs in",
		},
		"ctest without its build name": {
			`<testsuite name="Linux-c++"><testcase classname="Cart.Adds" name="Cart.Adds"/></testsuite>`,
			"Cart.Adds",
		},
		"Surefire": {
			`<testsuite name="com.acme.LoginTest" hostname="build-1"><testcase classname="com.acme.LoginTest" name="signsIn"/></testsuite>`,
			"com.acme.LoginTest › signsIn",
		},
		"Go": {
			`<testsuite name="ex/cart"><properties><property name="go.version" value="x"/></properties><testcase classname="ex/cart" name="TestAdd/empty"/></testsuite>`,
			"ex/cart › TestAdd/empty",
		},
		"Go with a short classname": {
			`<testsuite name="example.com/shop/cart"><testcase classname="cart" name="TestAdd"/></testsuite>`,
			"example.com/shop/cart › TestAdd",
		},
		"PHPUnit": {
			`<testsuites><testsuite name="/work/shop/phpunit.xml"><testsuite name="LoginTest" file="/work/shop/LoginTest.php"><testsuite name="LoginTest::testOk"><testcase name="testOk with data set #1" class="LoginTest" classname="LoginTest" file="/work/shop/LoginTest.php" line="4"/></testsuite></testsuite></testsuite></testsuites>`,
			"LoginTest › testOk with data set #1",
		},
		"Minitest": {
			`<testsuite name="UserTest"><testcase name="test_ok" file="test/user_test.rb"/></testsuite>`,
			"test/user_test.rb › UserTest › test_ok",
		},
		"RSpec": {
			`<testsuite name="rspec"><testcase classname="spec.models.user_spec" name="User is valid" file="./spec/models/user_spec.rb"/></testsuite>`,
			"spec/models/user_spec.rb › User is valid",
		},
		"GoogleTest": {
			`<testsuites name="AllTests"><testsuite name="Math"><testcase name="Adds" file="/build/gt.cc" line="2" classname="Math"/></testsuite></testsuites>`,
			"Math › Adds",
		},
		"a path of a machine is left out": {
			`<testsuite name="C:\jobs\17\Shop.exe"><testcase name="a"/></testsuite>`,
			"Shop.exe › a",
		},
		"Pester": {
			`<testsuite name="/home/runner/work/shop/shop/tests/Cart.Tests.ps1"><testcase name="Cart.adds" classname="/home/runner/work/shop/shop/tests/Cart.Tests.ps1"/></testsuite>`,
			"tests/Cart.Tests.ps1 › Cart.adds",
		},
		"Pester on Windows": {
			`<testsuite name="D:\a\shop\shop\tests\Cart.Tests.ps1"><testcase name="Cart.adds" classname="D:\a\shop\shop\tests\Cart.Tests.ps1"/></testsuite>`,
			"tests/Cart.Tests.ps1 › Cart.adds",
		},
		"Pester on a runner of one's own": {
			`<testsuite name="/opt/runner/_work/shop/shop/tests/Cart.Tests.ps1"><testcase name="Cart.adds" classname="/opt/runner/_work/shop/shop/tests/Cart.Tests.ps1"/></testsuite>`,
			"tests/Cart.Tests.ps1 › Cart.adds",
		},
		"a class that is a path": {
			`<testsuite name="s"><testcase name="a" classname="/work/shop/lib/cart"/></testsuite>`,
			"lib/cart › s › a",
		},
		"a path in a name": {
			`<testsuite name="s"><testcase name="loads /home/runner/work/shop/shop/data/a.json (/work/shop/b.json)" classname="c"/></testsuite>`,
			"c › s › loads data/a.json (b.json)",
		},
		"a path in a parameter of pytest": {
			`<testsuite name="pytest"><testcase name="test_loads[/home/runner/work/shop/shop/data/a.json]" classname="tests.test_a"/></testsuite>`,
			"tests/test_a.py::test_loads[data/a.json]",
		},
		"a path in a suite's name": {
			`<testsuite name="fixtures of /__w/shop/shop/data"><testcase name="a"/></testsuite>`,
			"fixtures of data › a",
		},
		"what only looks like a checkout": {
			`<testsuite name="s"><testcase name="GET /api/home/runner/work/shop/shop/a and /home/runner/work/a/b/c" classname="c"/></testsuite>`,
			"c › s › GET /api/home/runner/work/shop/shop/a and /home/runner/work/a/b/c",
		},
		"a hosted runner's checkout": {
			`<testsuite name="s"><testcase name="a" file="/home/runner/work/shop/shop/e2e/a.cy.js"/></testsuite>`,
			"e2e/a.cy.js › s › a",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := parseWith(t, c.report, Options{Root: root})
			if len(f.Results()) != 1 || f.Results()[0].ID != engine.TestID(c.id) {
				t.Errorf("got %q\nwant %q", ids(f.Results()), c.id)
			}
		})
	}
}

func ids(results []engine.TestResult) []string {
	out := []string{}
	for _, r := range results {
		out = append(out, string(r.ID))
	}
	return out
}

func TestLongIdentitiesStayApart(t *testing.T) {
	long := strings.Repeat("x", 2000)
	f := parse(t, inSuite(`<testcase name="`+long+`a"/><testcase name="`+long+`b"/>`))
	if len(f.Results()) != 2 || len(f.Results()[0].ID) > identity.MaxBytes {
		t.Errorf("%d results, %d bytes", len(f.Results()), len(f.Results()[0].ID))
	}
}

func TestLocation(t *testing.T) {
	for name, c := range map[string]struct{ report, want string }{
		"attributes":               {`<testcase name="a" file="/w/a.js" line="4"><failure>at x (/w/a.js:9:1)</failure></testcase>`, "a.js:4"},
		"of the failure":           {`<testcase name="a"><failure file="src/m.c" line="38"/></testcase>`, "src/m.c:38"},
		"JavaScript":               {`<testcase name="a"><failure>Error: x&#10;    at f (/w/node_modules/lib/i.js:3:1)&#10;    at g (/w/src/a.js:9:39)</failure></testcase>`, "src/a.js:9"},
		"file URL":                 {`<testcase name="a"><failure>at file:///w/src/a%20b.mjs:9:39</failure></testcase>`, "src/a b.mjs:9"},
		"Python":                   {`<testcase name="a"><failure>  File "/usr/lib/python3.12/unittest/case.py", line 1, in run&#10;  File "/w/tests/x.py", line 3, in f</failure></testcase>`, "tests/x.py:3"},
		"pytest":                   {`<testcase name="a"><failure>tests/x.py:12: AssertionError</failure></testcase>`, "tests/x.py:12"},
		"Java":                     {`<testcase name="a" classname="com.acme.LoginTest"><failure>at org.junit.Assert.fail(Assert.java:89)&#10;at com.acme.Util.check(Util.java:3)&#10;at com.acme.LoginTest.a(LoginTest.java:14)</failure></testcase>`, "com/acme/LoginTest.java:14"},
		"Java, library only":       {`<testcase name="a" classname="com.acme.LoginTest"><failure>at org.jboss.X.y(X.java:89)</failure></testcase>`, ":0"},
		"Go":                       {`<testcase name="TestA"><failure>    login_test.go:12: boom</failure></testcase>`, "login_test.go:12"},
		"C#":                       {`<testcase name="a"><failure>at A.B() in /w/tests/LoginTests.cs:line 12</failure></testcase>`, "tests/LoginTests.cs:12"},
		"outside the checkout":     {`<testcase name="a"><failure>at f (/etc/a.js:9:39)</failure></testcase>`, ":0"},
		"above the checkout":       {`<testcase name="a" file="../secret.js" line="3"/>`, ":0"},
		"climbing out":             {`<testcase name="a" file="/w/../etc/x.js" line="3"/>`, ":0"},
		"a neighbour of root":      {`<testcase name="a" file="/w2/x.js" line="3"/>`, ":0"},
		"no source file":           {`<testcase name="a"><failure>connect 10.0.0.1:80 tsconfig.json:13</failure></testcase>`, ":0"},
		"the test's file first":    {`<testcase name="a" file="t/a.rb"><failure>lib/b.rb:3:in x&#10;t/a.rb:7:in y</failure></testcase>`, "t/a.rb:7"},
		"a line without a file":    {`<testcase name="a" line="5"/>`, ":0"},
		"pytest counts from 0":     {`<testcase name="test_a" classname="t.test_x" file="t/test_x.py" line="3"/>`, "t/test_x.py:4"},
		"a frame from nowhere":     {`<testcase name="a"><failure>at .etc.X.y(X.java:3)</failure></testcase>`, ":0"},
		"Windows":                  {`<testcase name="a"><failure>at A.B() in D:\a\shop\shop\t\X.cs:line 2</failure></testcase>`, "t/X.cs:2"},
		"a number that is no line": {`<testcase name="a" file="a.js" line="-4"/>`, "a.js:0"},
	} {
		t.Run(name, func(t *testing.T) {
			r := parseWith(t, inSuite(c.report), Options{Root: "/w"}).Results()[0]
			if got := fmt.Sprintf("%s:%d", r.File, r.Line); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
