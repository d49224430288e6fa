// Package community is package crumb for suites on the module
// github.com/playwright-community/playwright-go. It has the same names and does the
// same; see there.
//
// That module ended with v0.6000.0, and the hosts of its driver were shut off in July
// 2026 (https://github.com/mxschmitt/playwright-go/issues/593). A suite moves to the
// maintained one by changing the import of playwright-go and, from this package to
// crumb, of ours.
package community
