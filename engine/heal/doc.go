// Package heal finds a lost element of an old page on a new one, or refuses.
//
// A [Page] is a page's elements prepared for comparison. [Heal] looks for the
// element of a fingerprint; [Compare] matches two whole pages first, so that
// its Heal is right more often. Like engine it is pure.
package heal
