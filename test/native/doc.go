// Package native holds the tests of the action's second entry, native/: that it
// takes and gives what the container action does, and that its scripts run only
// a binary whose digest they know.
package native
