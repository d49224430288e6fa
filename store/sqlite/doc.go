// Package sqlite keeps Breadcrumb's history in one SQLite file: fingerprints,
// heal events, runs with every attempt of every test, and the quarantine.
//
// [Open] never touches the file it is given. It reads it as hostile input,
// copies its typed columns row by row into a fresh working database beside it,
// and holds an advisory lock until [DB.Close]. What was recorded reaches the
// file only through [DB.Save], which replaces it whole: a run killed at any
// moment leaves the old database or the new one.
//
// The file stays a database of the seed: its tables `fingerprints`,
// `healing_events` and `quarantine` keep the seed's columns first, and
// `test_runs` is an inbox whose rows are imported into our own, compact history
// the next time the file is opened.
package sqlite

import _ "modernc.org/sqlite" // the database/sql driver "sqlite"
