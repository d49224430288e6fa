// Package lazyregexp compiles a regular expression when it is first used: a
// start of the command needs few of its hundreds.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression. Goroutines may share it.
type Regexp struct {
	compiled func() *regexp.Regexp
}

// New returns the expression of a pattern. Its first use panics if the pattern
// is wrong; a test of internal/archtest compiles every pattern.
func New(pattern string) *Regexp {
	return &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })}
}

// Match is Match of regexp.Regexp.
func (r *Regexp) Match(b []byte) bool { return r.compiled().Match(b) }

// MatchString is MatchString of regexp.Regexp.
func (r *Regexp) MatchString(s string) bool { return r.compiled().MatchString(s) }

// FindString is FindString of regexp.Regexp.
func (r *Regexp) FindString(s string) string { return r.compiled().FindString(s) }

// FindSubmatch is FindSubmatch of regexp.Regexp.
func (r *Regexp) FindSubmatch(b []byte) [][]byte { return r.compiled().FindSubmatch(b) }

// FindStringSubmatch is FindStringSubmatch of regexp.Regexp.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }

// FindStringSubmatchIndex is FindStringSubmatchIndex of regexp.Regexp.
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.compiled().FindStringSubmatchIndex(s)
}

// FindAll is FindAll of regexp.Regexp.
func (r *Regexp) FindAll(b []byte, n int) [][]byte { return r.compiled().FindAll(b, n) }

// FindAllString is FindAllString of regexp.Regexp.
func (r *Regexp) FindAllString(s string, n int) []string { return r.compiled().FindAllString(s, n) }

// FindAllStringIndex is FindAllStringIndex of regexp.Regexp.
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringIndex(s, n)
}

// FindAllSubmatch is FindAllSubmatch of regexp.Regexp.
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte {
	return r.compiled().FindAllSubmatch(b, n)
}

// FindAllSubmatchIndex is FindAllSubmatchIndex of regexp.Regexp.
func (r *Regexp) FindAllSubmatchIndex(b []byte, n int) [][]int {
	return r.compiled().FindAllSubmatchIndex(b, n)
}

// FindAllStringSubmatch is FindAllStringSubmatch of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is FindAllStringSubmatchIndex of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAllString is ReplaceAllString of regexp.Regexp.
func (r *Regexp) ReplaceAllString(src, repl string) string {
	return r.compiled().ReplaceAllString(src, repl)
}

// ReplaceAllLiteralString is ReplaceAllLiteralString of regexp.Regexp.
func (r *Regexp) ReplaceAllLiteralString(src, repl string) string {
	return r.compiled().ReplaceAllLiteralString(src, repl)
}

// ReplaceAllStringFunc is ReplaceAllStringFunc of regexp.Regexp.
func (r *Regexp) ReplaceAllStringFunc(src string, repl func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(src, repl)
}

// Split is Split of regexp.Regexp.
func (r *Regexp) Split(s string, n int) []string { return r.compiled().Split(s, n) }
