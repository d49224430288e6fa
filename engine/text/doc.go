// Package text makes texts fit for people: it cleans what a test run wrote
// ([Clean], [Line]), cuts it ([Cut], [Shorten]), finds the lines of an error that
// say what went wrong ([UsefulLines]), and says counts, ratios, times and places
// in words ([Count], [Percent], [Duration]).
package text
