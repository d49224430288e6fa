// Package replay back-tests a quarantine policy over a recorded history: what
// would have been in quarantine, and which failures it would have excused. It
// is pure. Use Run.
//
// # History
//
// NDJSON, one run a line, in the order in which the runs were tested:
//
//	{"run":12,"sha":"a1b2c3d","branch":"main","attempt":1,"tests":706,
//	 "absent":[8,35],"results":[{"t":86,"a":"FFP","err":"E101"}]}
//
// sha is the tested commit, branch "main" for the default branch and otherwise
// the pull request's or branch's name, tests how many tests ran, absent the
// tests that were not part of the run. results lists the tests that did not
// simply pass: a holds the attempts in order (P passed, F failed, S skipped),
// err the error's signature, at where it failed ("login.spec.ts:12"), healed
// that a locator was healed. Every other test passed at its first attempt. A
// test is any whole number; names, an object of number to identity, tells
// people what they stand for.
package replay
