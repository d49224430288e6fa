// Package mcp answers questions about a suite's history over the Model Context
// Protocol: New makes a server with its tools, Stdio and Listen run it.
//
// Whoever asks is a program that reads texts of test runs as if they were its
// user's. So the database and the checkout are chosen when the server starts and
// never by a question, nothing is ever written, every list is bounded, and all
// texts of a test run reach an answer cleaned and between two marks that they
// cannot forge.
package mcp
