// Package trace reads Playwright's trace.zip: which elements a passing test
// acted on, and which locator of a failing one found nothing. Nothing in the
// tests changes for it, and any language's Playwright writes the same file.
//
// Read returns a Trace with its calls. Call.Target returns the element that a
// call acted on, to be learned; Call.Heal looks for what was lost in the
// last snapshot of a call that failed.
//
// A trace comes from a test run and is hostile: size, count, nesting and
// expansion are bounded, snapshots are put together only where they are needed,
// and what was typed is dropped on the way.
//
// The format is Playwright's own and has no specification; what is read here is
// what its versions 1.52 to 1.65 write (trace versions 7 to 10).
package trace
