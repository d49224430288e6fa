// Package flaky turns a test's history into a flip rate, a tier and a
// quarantine, and a run's results into a verdict. It is pure.
//
// Evaluate applies the seed's policy. A Judge applies policy evidence: it observes
// the runs one by one. Decide reaches the verdict under both.
package flaky
