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
	// Makers are the methods of the relay's own calls whose answer is a new handle. While one
	// is open the relay has to see everything that the driver says.
	Makers []string `json:"makers"`

	Closing []string `json:"closing"` // those of the calls that close pages
	// Direct are those of the calls that a worker may make itself and tell of later, as long
	// as nothing is healed; none where edits are tried. Their page is asked what they find
	// right behind them, but before those of ActsAtOnce and those with a timeout of
	// ShortTimeout or less, in ms, and for other calls of OnlyLook when they have succeeded.
	// Those of Repeatable that have no timeout get one of Patience, in ms, 0 for none.
	Direct       []string `json:"direct"`
	ActsAtOnce   []string `json:"actsAtOnce"`
	OnlyLook     []string `json:"onlyLook"`
	Repeatable   []string `json:"repeatable"`
	ShortTimeout float64  `json:"shortTimeout"`
	Patience     float64  `json:"patience"`
	// Reader is the name of the selector engine, "" where nothing is learned. The worker
	// registers it with each new object of a kind that Registrations has, and asks it with the
	// method Reads. TestIDAttribute is the attribute of getByTestId, "" for what the tests say.
	Reader          string                  `json:"reader"`
	Registrations   map[string]Registration `json:"registrations"`
	Reads           string                  `json:"reads"`
	TestIDAttribute string                  `json:"testIDAttribute"`
}

// Registration is a call that registers the selector engine with an object.
type Registration struct {
	Method string         `json:"method"`
	Params map[string]any `json:"params"`
}

// FollowedMessages returns them, for relays with the same options.
func FollowedMessages(o Options) Followed {
	calls := slices.Concat(keys(healed), keys(settings), keys(closing), []string{"expect"})
	kinds := append(keys(followed), kindSelectors)
	slices.Sort(calls)
	f := Followed{Calls: calls, Held: []string{"expect"}, Kinds: kinds, Events: keys(events), Makers: keys(makers),
		Closing: keys(closing), Direct: []string{}, ActsAtOnce: keys(actsAtOnce), OnlyLook: append(keys(onlyLook), "expect"), Repeatable: append(keys(onlyLook), keys(repeatSame)...), ShortTimeout: shortTimeout, Reads: readMethod, TestIDAttribute: o.Live.TestIDAttribute}
	if reader := newReader(o); reader != nil && o.Reader != "" {
		f.Reader = o.Reader
		f.Registrations = map[string]Registration{kindSelectors: reader.registration(kindSelectors), kindContext: reader.registration(kindContext)}
	}
	if heals, err := o.Live.WillHeal(); err == nil && heals {
		f.Patience = float64(patience.Milliseconds())
	}
	if o.Trial == nil {
		f.Direct = slices.DeleteFunc(append(keys(healed), "expect"), func(method string) bool { return twoTargets[method] })
	}
	return f
}

// keys returns a map's keys in their order.
func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
