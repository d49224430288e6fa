// Package examples holds the tests that run the examples for other CI systems as
// those would: their own lines, with the real binary.
package examples
