// Package junit reads test reports into engine.TestResult: JUnit XML in the
// dialects of about fifty runners, Playwright's JSON report, CTRF, go test -json
// and TAP, recognised by their content.
//
// Parse reads one report, ParseFiles many, Merge joins their results and
// OpenAttachment opens what a test left. The packages below do the work:
//
//	scan      text as a stream: encodings, XML tokens, JSON values, lines
//	junitxml  the elements of JUnit XML; go-junit decides by the child of a test case
//	formats   Playwright's JSON, CTRF, go test -json, TAP; names other formats
//	input     what all readers share: limits, notices, durations, statuses
//	identity  the identity of a test; Index finds the test of a heal event
//	location  paths of the checkout, the line that a failure text names
//	results   the results of a report in little memory
//	blob      Playwright's blob report as its JSON report
//
// Encodings are converted, the input is repaired and bounded, and every test case is
// handed on as it ends. go-junit decides what the child of a test case means, and is
// asked once about each kind of child: it would parse the texts of every failure at
// several times the cost of all else here. What it ignores (retries, properties of test
// cases, statuses, the order of failures, places) is read beside it.
//
// The other formats have small readers of their own, because the libraries for
// them hold a whole document, or all of its output, in memory. They name suites,
// classes and tests as the JUnit reporter of the same runner does, so that the
// history of a test goes on when a team changes the reporter.
//
// # Verdicts
//
// Test cases are counted, attributes of suites never; where they disagree a
// notice says so. error outranks failure outranks skipped, in whatever order
// the elements stand. A failing status or result attribute fails a case without
// such an element; "notrun", "disabled" and the like skip it.
//
// Nothing reads as green that is not: a truncated report, a report without a
// test case, an error outside the test cases, and failures that a suite counts
// and no test case shows are blocking notices. So are a TAP plan that does not
// match, "Bail out!", a Go package that does not end, an error that Playwright
// reports outside the tests, and a program that ctest did not find. See
// File.Green.
//
// # Attempts
//
// Surefire's flakyFailure and flakyError are attempts that failed before the
// last one passed; rerunFailure and rerunError are attempts that failed again
// after the failure itself. Playwright writes the same with includeRetries. A
// further row of the same test is a rerun where a Go reporter wrote it. Rows of
// other runners can be different tests under one name, as with -count or two
// equal titles: they become attempts too, with the failing ones last.
//
// # Identity
//
// TestResult.ID is "file-or-class › suites › name", with " [environment]"
// behind it where there is one. It holds no directory of a checkout, time or
// host name, and paths are written with forward slashes. Suites that only
// repeat the file, the class or a package of it are left out.
//
//	runner           example
//	Playwright       login.spec.ts › Login › signs in [chromium]
//	Vitest           src/cart.test.ts › cart › adds an item
//	Jest             src/cart.test.ts › cart adds an item
//	Mocha            test/cart.spec.js › cart › adds an item
//	pytest           tests/test_login.py::TestLogin::test_ok[admin]
//	unittest         tests/test_lib.py › tests.test_lib.TestLib › test_ok
//	Surefire, Gradle com.acme.LoginTest › signsIn
//	gotestsum        example.com/shop/cart › TestAdd/empty
//	PHPUnit          LoginTest › testOk with data set #1
//	Minitest         test/models/user_test.rb › UserTest › test_ok
//	GoogleTest       Math › Adds
//	node:test        cart › adds
//	ExUnit           test/cart_test.exs › Elixir.CartTest › test adds
//	Karma            Chrome_Headless.Cart › Chrome Headless › Cart adds
//	TAP              cart › adds (subtests are suites)
//
// Playwright names its project in the suite's hostname, which is the
// environment; the host name of other runners is a machine and left out.
// A test is named by its file where its language names tests by file
// (JavaScript, Python, Ruby), else by its class. A file outside the checkout
// is named by its last segment alone. An identity longer than 512 bytes ends
// in a digest of the whole. docs/junit.md has more examples.
//
// # Memory
//
// Input is read as a stream and results are kept packed: a passing test costs
// its name and about 40 bytes, without a pointer. File.Result makes an engine.TestResult of one on
// demand; File.Results and Merge make all of them, at about 300 bytes each.
package junit
