// Package run holds the tests of `breadcrumb run` with real suites: the shop of examples and
// the desk of testdata with several versions of Playwright Test, before and after their
// redesigns, tests of pytest, what a run without Breadcrumb leaves beside what one with it
// does, and what becomes of a run in which a process is killed or that carries a load.
// `make suites` installs the versions from npm and runs them; without it they are skipped.
// Shards, and the environment of Playwright's images, are tried there as well.
package run
