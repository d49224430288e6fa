// Package run holds the tests of `breadcrumb run` with real suites: the shop of examples
// with several versions of Playwright Test, before and after its redesign. `make suites`
// installs the versions from npm and runs them; without it they are skipped. Shards, and
// the environment of Playwright's images, are tried there as well.
package run
