// Package htmlreport writes a survey of a suite as one HTML file: no request
// leaves it, nothing in it runs but its own script, and without scripts it
// still shows everything.
package htmlreport
