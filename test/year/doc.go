// Package year has no code of the product: its test lets a repository live for a year on an
// in-memory GitHub, every run a whole run of Breadcrumb, and compares what a run costs at
// the end with what it costs on day 30.
package year
