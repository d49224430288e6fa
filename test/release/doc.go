// Package release holds the tests of how a release is made: the same bytes from
// the same commit, and tags that say what they promise.
package release
