// Package mcp answers questions about a suite's history over the Model Context
// Protocol: New makes a server with its tools, Stdio and Listen run it.
//
// The client is a program that may take texts of test runs for its user's words.
// So the database and the checkout are chosen when the server starts and never by
// a question, nothing is ever written, every list is bounded, and every text of a
// test run is cleaned and put between two marks that it cannot forge.
package mcp

import (
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// New returns a server with all tools.
func New(o Options) *Server {
	s := &Server{opts: o, sdk: sdk.NewServer(
		&sdk.Implementation{Name: "breadcrumb", Title: "Breadcrumb", Version: o.Version},
		&sdk.ServerOptions{Instructions: instructions, Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}},
	)}
	s.addSuiteTools()
	s.addHealTools()
	s.addExplain()
	if o.Checkout != nil {
		s.addPatches()
	}
	if !o.Offline {
		s.addGenerate()
	}
	return s
}
