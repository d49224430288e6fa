// Package engine holds Breadcrumb's domain: test results, heal events and
// element fingerprints, and what can be worked out from them alone.
//
// It is pure. It never opens a file, dials, logs, reads a clock or draws a
// random number: bytes, times and seeds are arguments, and the same arguments
// always give the same result. Every other room depends on it.
package engine
