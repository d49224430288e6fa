package proxy

import (
	"maps"
	"slices"
)

// Followed says which messages a relay has to see. Others may go past it, where they keep
// their order.
type Followed struct {
	Calls  []string `json:"calls"`  // methods of calls
	Held   []string `json:"held"`   // those whose answers it may hold back although they tell of no error
	Kinds  []string `json:"kinds"`  // of objects: that they are new, and their events
	Events []string `json:"events"` // methods of events of these objects
	// Told are the kinds of new objects of which the relay tells the driver something, when it
	// takes the next message of the client's, whatever that is.
	Told []string `json:"told"`
	// Makers are the methods of the relay's own calls whose answer is a new handle. While one
	// is open the relay has to see everything that the driver says.
	Makers []string `json:"makers"`
}

// FollowedMessages returns them, the same for every relay.
func FollowedMessages() Followed {
	calls := slices.Concat(keys(healed), keys(settings), keys(closing), []string{"expect"})
	kinds := append(keys(followed), kindSelectors)
	slices.Sort(calls)
	return Followed{Calls: calls, Held: []string{"expect"}, Kinds: kinds, Events: keys(events), Told: []string{kindSelectors, kindContext}, Makers: keys(makers)}
}

// keys returns a map's keys in their order.
func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
