// Package standing says how a suite and its database stand: Quarantine lists
// what is excused and what gets it out, Survey sums up a period, and a Health
// finds what of a database should be looked at. All of them only read.
package standing
