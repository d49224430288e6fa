// Package image holds the tests of the action's container image: run as
// GitHub's runner runs it, what it is made of, how large it is and how soon it
// says something. `make runner` builds the image for both platforms and runs
// them; without it they are skipped.
package image
