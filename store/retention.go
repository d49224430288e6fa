package store

import (
	"time"
)

// Keep says how much history is kept. The zero value keeps all.
type Keep struct {
	Runs   int       // executions of a test, the newest; 0: all
	Before time.Time // runs that began earlier go; zero: none
}
