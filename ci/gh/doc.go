// Package gh is the one room that speaks to GitHub: it reads the event that
// started a run, speaks the runner's workflow commands, and calls the API.
//
// Start with [LoadEvent] for what is being tested, [NewActions] for inputs,
// outputs, annotations and the job summary of the running step, and
// [NewClient] for comments.
//
// Nothing here reads the process environment, a clock or a random source by
// itself: all of them are arguments. Texts that a test run wrote are hostile
// and are escaped here for the place they go to.
package gh
