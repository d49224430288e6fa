// Package events has no code of the product: its tests run the whole action once for
// every event that can start tests, on an in-memory GitHub, and write what it did into
// the tables of docs/events.md.
package events
