// Package archtest holds the project's import rules as tests: the table of rooms,
// what the pure rooms may not touch, and who may speak to GitHub.
package archtest
