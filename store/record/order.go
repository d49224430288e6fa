package record

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/breadcrumb/action/engine"
)

// OrderPrefix begins the names of all saved orders.
const OrderPrefix = "order "

// OrderName returns the name under which the test order of a job and leg is saved.
func OrderName(info engine.RunInfo) string {
	key := KeyOf(info, "")
	return fmt.Sprintf("%s%x", OrderPrefix, KeyDigest(key.Repository, key.WorkflowFile(), key.Job, key.Leg)[:16])
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
