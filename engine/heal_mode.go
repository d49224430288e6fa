package engine

import (
	"fmt"
	"strings"
)

// HealMode is what a healing library does for a locator that finds nothing.
type HealMode string

// What the modes let a library do. All of them let it learn.
const (
	HealLive    HealMode = "live"    // the action is done on an element proven the same
	HealSuggest HealMode = "suggest" // the element is named and nothing is done on it
	HealOff     HealMode = "off"     // nothing is looked for
)

// HealModes returns the names of the modes, the one that does most first.
func HealModes() []string { return []string{string(HealLive), string(HealSuggest), string(HealOff)} }

// ParseHealMode returns the mode of a name.
func ParseHealMode(name string) (HealMode, error) {
	switch m := HealMode(name); m {
	case HealLive, HealSuggest, HealOff:
		return m, nil
	}
	return "", fmt.Errorf("heal is %.40q; it must be one of %s", name, strings.Join(HealModes(), ", "))
}
