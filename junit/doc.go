// Package junit reads JUnit XML, in the dialects of about fifty runners, into
// engine.TestResult.
//
// Parse reads one report, ParseFiles many, Merge joins their results and Index
// finds the result a heal event means. go-junit does the parsing; an adapter
// before it converts encodings, repairs and bounds the input as a stream, reads
// what go-junit passes over (retries, test-case properties, statuses, the order
// of failures) and hands it on in batches of 256 KB, every fact as an attribute
// that comes back in go-junit's Test.Properties.
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
// and no test case shows are blocking notices. See File.Green.
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
//
// Playwright names its project in the suite's hostname, which is the
// environment; the host name of other runners is a machine and left out.
// A test is named by its file where its language names tests by file
// (JavaScript, Python, Ruby), else by its class. A file outside the checkout
// is named by its last segment alone. An identity longer than 512 bytes ends
// in a digest of the whole.
package junit
