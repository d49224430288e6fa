//go:build !race

package junit

const raceDetector = false
