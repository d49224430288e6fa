// Package report tells a run's outcome where there is no pull request: Console
// prints it for people at a terminal, JSON writes it for programs.
//
// Every text of a test run is hostile: it reaches neither output with control
// characters, terminal sequences or bidirectional controls in force, and no
// line of either output can be a workflow command.
package report
