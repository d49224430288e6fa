package record

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store"
)

// OrderPrefix begins the names of all saved orders.
const OrderPrefix = "order "

// OrderName returns the name under which the test order of a job and leg is saved.
func OrderName(info engine.RunInfo) string { return OrderPrefix + nameSuite(info) }

// PlacesName returns the name under which the places of the tests of a job and leg are
// saved. It begins as an order's does, and so they are kept as long.
func PlacesName(info engine.RunInfo) string { return OrderPrefix + "places " + nameSuite(info) }

func nameSuite(info engine.RunInfo) string {
	key := KeyOf(info, "")
	return fmt.Sprintf("%x", KeyDigest(key.Repository, key.WorkflowFile(), key.Job, key.Leg)[:16])
}

// orderBytes is the length of a test in a saved order: a hash of its id. Tests
// with equal hashes stand side by side.
const orderBytes = 4

// PackOrder returns the order of tests as it is saved: four bytes a test.
func PackOrder(ids []engine.TestID) []byte {
	packed := make([]byte, 0, orderBytes*len(ids))
	for _, id := range ids {
		packed = binary.BigEndian.AppendUint32(packed, nameHash(id))
	}
	return packed
}

func nameHash(id engine.TestID) uint32 {
	h := fnv.New32a()
	h.Write([]byte(id))
	return h.Sum32()
}

// SortInOrder sorts ids by a packed order.
func SortInOrder(ids []engine.TestID, packed []byte) {
	place := make(map[uint32]int, len(packed)/orderBytes)
	for i := 0; i+orderBytes <= len(packed); i += orderBytes {
		hash := binary.BigEndian.Uint32(packed[i:])
		if _, twice := place[hash]; !twice {
			place[hash] = i
		}
	}
	places := make(map[engine.TestID]int, len(ids))
	for _, id := range ids {
		at, known := place[nameHash(id)]
		if !known {
			at = len(packed)
		}
		places[id] = at
	}
	slices.SortStableFunc(ids, func(a, b engine.TestID) int { return places[a] - places[b] })
}

// PackPlaces returns a suite as it is saved beside the order of its tests: a checksum of
// the order, the run, and a byte a test.
func PackPlaces(ids []engine.TestID, suite store.Suite) []byte {
	packed := binary.BigEndian.AppendUint64(nil, sumOrder(PackOrder(ids)))
	packed = binary.AppendUvarint(packed, uint64(max(suite.RunID, 0)))
	packed = binary.AppendUvarint(packed, uint64(max(suite.Reports, 0)))
	packed = append(binary.AppendUvarint(packed, uint64(len(suite.Commit))), suite.Commit...)
	for _, id := range ids {
		place := suite.Tests[id]
		packed = append(packed, byte(place.Title)|byte(max(0, min(place.Reports, 63)))<<2)
	}
	return packed
}

// ReadPlaces returns what a saved suite says of tests. The zero value is for a suite that
// is not of the saved order, as when another run saved that meanwhile, or is broken.
func ReadPlaces(ids []engine.TestID, order, packed []byte) store.Suite {
	if len(packed) < 8 || binary.BigEndian.Uint64(packed) != sumOrder(order) {
		return store.Suite{}
	}
	packed = packed[8:]
	var head [3]uint64 // run, reports, length of the commit
	for i := range head {
		value, n := binary.Uvarint(packed)
		if n <= 0 || value > 1<<62 {
			return store.Suite{}
		}
		head[i], packed = value, packed[n:]
	}
	if head[2] > uint64(len(packed)) || len(packed)-int(head[2]) != len(order)/orderBytes {
		return store.Suite{}
	}
	suite := store.Suite{RunID: int64(head[0]), Reports: int(head[1]), Commit: string(packed[:head[2]])}
	if len(ids) == 0 {
		return suite
	}
	suite.Tests = make(map[engine.TestID]store.Place, len(ids))
	places := map[uint32]store.Place{}
	for i, b := range packed[head[2]:] {
		hash := binary.BigEndian.Uint32(order[i*orderBytes:])
		place := store.Place{Title: store.TitleOrigin(b & 3), Reports: int(b >> 2)}
		if have, twice := places[hash]; twice && have != place {
			place = store.Place{} // which of the two it is nobody knows
		}
		places[hash] = place
	}
	for _, id := range ids {
		if place, known := places[nameHash(id)]; known {
			suite.Tests[id] = place
		}
	}
	return suite
}

func sumOrder(order []byte) uint64 {
	h := fnv.New64a()
	h.Write(order)
	return h.Sum64()
}
