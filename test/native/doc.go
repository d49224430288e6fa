// Package native holds the tests of the action's other entries, native/ and setup/:
// that they take and give what the container action does, and that the scripts that
// they share run only a binary whose digest they know.
package native
