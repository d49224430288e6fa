// Package store holds the words in which Breadcrumb's history is spoken of: a
// run to record, what is known of runs, tests, heals and the quarantine, what
// of another history may be trusted, and the errors to branch on.
//
// Two databases keep the history: a SQLite file ([store/sqlite]) and a
// PostgreSQL server ([store/postgres]). Each gives its rows to an
// [EvidenceSource], a [TimelineBuilder] or a [HistoryBuilder], so that both
// answer alike. store/record makes the rows that both write, store/untrusted
// reads a stranger's file, store/delta is what travels between databases.
//
// [store/sqlite]: https://pkg.go.dev/github.com/breadcrumb/action/store/sqlite
// [store/postgres]: https://pkg.go.dev/github.com/breadcrumb/action/store/postgres
package store
