package packed_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/store/packed"
)

// randomMoves draws moves as renames make them, and others.
func randomMoves(r *rand.Rand, n int) packed.Moves {
	moves := packed.Moves{}
	for _, row := range randomRows(r, n+1)[:n/2] {
		was := packed.Key{Test: row.Test - 40, Attempt: row.Attempt}
		if r.IntN(5) == 0 {
			was = packed.Key{Test: int64(r.IntN(n)) - 3, Attempt: 1 + int64(r.IntN(3))}
		}
		moves = append(moves, packed.Move{Now: row.Key(), Was: was})
	}
	return moves
}

func packMoves(tb testing.TB, moves packed.Moves) []byte {
	tb.Helper()
	b, err := moves.Pack()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func TestMovesThatArePackedAreRead(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		want := randomMoves(rand.New(rand.NewPCG(seed, 4)), int(seed)/2)
		got, err := packed.ReadMoves(packMoves(t, want))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("seed %d: %v\n%s", seed, err, diff)
		}
	}
}

func TestARowThatDidNotMoveIsAsRecorded(t *testing.T) {
	t.Parallel()
	moves := packed.Moves{{packed.Key{Test: 4, Attempt: 1}, packed.Key{Test: 2, Attempt: 1}}, {packed.Key{Test: 4, Attempt: 3}, packed.Key{Test: 9, Attempt: 1}}}
	for now, want := range map[packed.Key]packed.Key{{Test: 4, Attempt: 1}: {Test: 2, Attempt: 1}, {Test: 4, Attempt: 3}: {Test: 9, Attempt: 1},
		{Test: 4, Attempt: 2}: {Test: 4, Attempt: 2}, {Test: 5, Attempt: 1}: {Test: 5, Attempt: 1}} {
		if got := moves.Recorded(now); got != want {
			t.Errorf("%v was %v, want %v", now, got, want)
		}
	}
}

// TestAMovedFolderTakesFourBytesATest, of which all are the same.
func TestAMovedFolderTakesFourBytesATest(t *testing.T) {
	t.Parallel()
	var moves packed.Moves
	for i := range int64(1000) {
		moves = append(moves, packed.Move{Now: packed.Key{Test: 5000 + i, Attempt: 1}, Was: packed.Key{Test: i, Attempt: 1}})
	}
	b := packMoves(t, moves)
	if tail := b[len(b)-3984:]; len(b) > 4010 || !slices.Equal(tail[:1992], tail[1992:]) {
		t.Errorf("1,000 moves take %d bytes, and are not all the same", len(b))
	}
}

func TestMovesThatAreNoneAreRefused(t *testing.T) {
	t.Parallel()
	key := func(test, attempt int64) packed.Key { return packed.Key{Test: test, Attempt: attempt} }
	for name, moves := range map[string]packed.Moves{
		"out of order": {{key(2, 1), key(1, 1)}, {key(1, 1), key(3, 1)}}, "twice": {{key(2, 1), key(1, 1)}, {key(2, 1), key(3, 1)}},
		"of no attempt": {{key(2, 0), key(1, 1)}}, "from no attempt": {{key(2, 1), key(1, -1)}}, "of no id": {{key(1<<60, 1), key(1, 1)}},
	} {
		if _, err := moves.Pack(); !errors.Is(err, packed.ErrOrder) {
			t.Errorf("%s: %v", name, err)
		}
	}
	whole := packMoves(t, randomMoves(rand.New(rand.NewPCG(3, 4)), 60))
	for n := range whole {
		if _, err := packed.ReadMoves(whole[:n]); err == nil {
			t.Errorf("%d of %d bytes are read", n, len(whole))
		}
	}
	if _, err := packed.ReadMoves(append(slices.Clone(whole), 0)); err == nil {
		t.Error("a byte too many is read")
	}
}

// FuzzReadMoves reads any bytes: what is read can be packed and read again.
func FuzzReadMoves(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(packMoves(f, randomMoves(rand.New(rand.NewPCG(seed, 4)), int(seed)*3)))
	}
	f.Add([]byte{1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		moves, err := packed.ReadMoves(b)
		if err != nil {
			return
		}
		again, err := packed.ReadMoves(packMoves(t, moves))
		if diff := cmp.Diff(moves, again); err != nil || diff != "" {
			t.Fatalf("%v\n%s", err, diff)
		}
	})
}
