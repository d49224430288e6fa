package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"
)

// snapshot is what a judge knew after the first commits.
type snapshot struct {
	commits int // how many
	runs    int // of these
	digest  [sha256.Size]byte
	judge   []byte // see flaky.Judge.Encode
}

// keptDistance is the distance between judges that are kept.
const keptDistance = 20

// isKept reports whether the judge after so many commits of all is kept. The last
// two are, for the next commit and for more runs of the last one, and two more, so
// that a leg or rerun that comes late makes the newest 20 to 40 commits be read
// again and not all.
func isKept(commits, all int) bool {
	return commits >= all-1 || commits%keptDistance == 0 && commits > all-2*keptDistance-1 && commits > 0
}

// digestCommits identifies the first commits by their runs, the results of those
// and what renames moved: one snapshot for each commit, without a judge.
func (b *EvidenceBuilder) digestCommits() []snapshot {
	sum := sha256.New()
	addText(sum, b.moves)
	var all []snapshot
	for i, r := range b.rows {
		addNumber(sum, r.ID)
		addText(sum, r.Commit)
		addNumber(sum, int64(len(r.Sources)))
		for _, source := range r.Sources {
			addText(sum, source)
		}
		addText(sum, r.Variant)
		addNumber(sum, r.At.Unix())
		addNumber(sum, int64(r.results))
		sum.Write(r.payload)
		if i+1 == len(b.rows) || b.commits[i+1] != b.commits[i] {
			s := snapshot{commits: b.commits[i] + 1, runs: i + 1}
			sum.Sum(s.digest[:0])
			all = append(all, s)
		}
	}
	return all
}

func addText(h hash.Hash, s string) {
	addNumber(h, int64(len(s)))
	h.Write([]byte(s))
}

func addNumber(h hash.Hash, n int64) { h.Write(binary.LittleEndian.AppendUint64(nil, uint64(n))) }

// packSnapshots returns the bytes of snapshots, oldest first. Where they are too many
// the oldest is left out; nil when the newest alone is too long.
func packSnapshots(all []snapshot) []byte {
	for ; len(all) > 0; all = all[1:] {
		var packed []byte
		for _, s := range all {
			packed = binary.AppendUvarint(packed, uint64(s.commits))
			packed = append(packed, s.digest[:]...)
			packed = binary.AppendUvarint(packed, uint64(len(s.judge)))
			packed = append(packed, s.judge...)
		}
		if len(packed) <= MaxDerived {
			return packed
		}
	}
	return nil
}

// fittingSnapshots unpacks the snapshots that know the first of the commits as they
// are now, and fewer than before. What cannot be read is left out.
func fittingSnapshots(packed []byte, commits []snapshot, before int) []snapshot {
	var fitting []snapshot
	for len(packed) > 0 {
		n, size := binary.Uvarint(packed)
		if size <= 0 || len(packed) < size+sha256.Size {
			break
		}
		digest := packed[size : size+sha256.Size]
		packed = packed[size+sha256.Size:]
		length, size := binary.Uvarint(packed)
		if size <= 0 || length > uint64(len(packed)-size) {
			break
		}
		judge := packed[size : size+int(length)]
		packed = packed[size+int(length):]
		if n == 0 || n > uint64(min(len(commits), before)) {
			continue
		}
		if s := commits[n-1]; bytes.Equal(s.digest[:], digest) {
			s.judge = judge
			fitting = append(fitting, s)
		}
	}
	slices.SortStableFunc(fitting, func(a, b snapshot) int { return a.commits - b.commits })
	return fitting
}
