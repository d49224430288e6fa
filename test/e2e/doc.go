// Package e2e holds the end-to-end tests: the workflows of examples/workflows
// run as users run them, with the action in its container, under the runner act,
// against GitHub's API and results service on loopback.
//
// `make e2e` makes what they need (setup) and runs them; without it they are
// skipped. A story is one script of stories/: which workflow runs on which
// event with which results of tests, and what the services hold afterwards.
// [testscript] says how a script is written; the commands of a story are listed
// in README.md.
//
// [testscript]: https://pkg.go.dev/github.com/rogpeppe/go-internal/testscript
package e2e
