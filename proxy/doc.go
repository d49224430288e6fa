// Package proxy stands between a Playwright client, such as the binding of a language or
// Playwright Test, and Playwright's driver. It passes what they say to each other, learns
// the elements that calls find, and heals the calls whose element was lost.
//
// [Relay] does it for one connection. Everything that it does not understand passes byte
// for byte, and so does everything once it has met a fault of its own.
package proxy
