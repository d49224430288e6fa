// Package health is the one view of how a suite, its quarantine and its database
// are doing; the report, doctor and the assistant's tools only render it.
// [LoadSurvey] sums up a period, [LoadTests] rates the tests, [LoadQuarantine]
// reads what is excused and what ends it, and a [Checkup] finds what of a
// database should be looked at. All of them only read.
package health
