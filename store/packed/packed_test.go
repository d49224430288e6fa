package packed_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/store/packed"
)

func pack(tb testing.TB, rows []packed.Row) []byte {
	tb.Helper()
	var w packed.Writer
	for i := range rows {
		if err := w.Add(&rows[i]); err != nil {
			tb.Fatalf("row %d: %v", i, err)
		}
	}
	if w.Len() != len(rows) {
		tb.Errorf("%d rows, want %d", w.Len(), len(rows))
	}
	return w.Bytes()
}

func unpack(b []byte) (rows []packed.Row, err error) {
	err = packed.Each(b, func(r *packed.Row) error {
		rows = append(rows, *r)
		return nil
	})
	return rows, err
}

// randomRows draws rows of every form.
func randomRows(r *rand.Rand, n int) (rows []packed.Row) {
	number := func() packed.Number {
		switch r.IntN(6) {
		case 0:
			return packed.Number{}
		case 1:
			return packed.Number{Value: r.NormFloat64() * 1e9, Known: true}
		case 2:
			return packed.Number{Value: math.Round(r.Float64()*1e6) / 1000, Known: true}
		case 3:
			return packed.Number{Value: []float64{0, math.Copysign(0, -1), math.MaxFloat64, math.SmallestNonzeroFloat64, 1 << 53, -1}[r.IntN(6)], Known: true}
		}
		return packed.Number{Value: float64(r.IntN(100_000)), Known: true}
	}
	at := func() (n packed.Number) {
		if r.IntN(9) == 0 {
			n = packed.Number{Value: 5.5, Known: true}
		}
		return n
	}
	label := func() int64 { return int64(max(0, r.IntN(200)-100)) }
	for range n {
		rows = append(rows, packed.Row{Test: int64(r.IntN(n)) - 2, Attempt: 1 + int64(r.IntN(3)*r.IntN(3)), Status: r.IntN(4), Healed: r.IntN(9) == 0,
			Duration: number(), At: at(), Error: label(), Environment: label(), Signature: label(), Place: -label()})
	}
	slices.SortFunc(rows, func(a, b packed.Row) int { return a.Key().Compare(b.Key()) })
	return slices.CompactFunc(rows, func(a, b packed.Row) bool { return a.Key() == b.Key() })
}

func TestWhatIsPackedIsRead(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		want := randomRows(rand.New(rand.NewPCG(seed, 1)), int(seed))
		got, err := unpack(pack(t, want))
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })); err != nil || diff != "" {
			t.Fatalf("seed %d: %v\n%s", seed, err, diff)
		}
	}
}

func TestHeadsAreThoseOfTheRows(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		rows := randomRows(rand.New(rand.NewPCG(seed, 2)), int(seed))
		whole := pack(t, rows)
		var want, got []packed.Row
		for _, r := range rows {
			want = append(want, packed.Row{Test: r.Test, Status: r.Status, Healed: r.Healed})
		}
		if err := packed.EachHead(whole, func(r *packed.Row) error { got = append(got, *r); return nil }); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

func TestAPassedAttemptTakesFourBytes(t *testing.T) {
	t.Parallel()
	var rows []packed.Row
	for i := range 1000 {
		rows = append(rows, packed.Row{Test: int64(i + 1), Attempt: 1, Duration: packed.Number{Value: float64(130 + i), Known: true}})
	}
	if n := len(pack(t, rows)); n > 4100 {
		t.Errorf("1,000 attempts take %d bytes", n)
	}
}

func TestRowsOutOfOrderAreRefused(t *testing.T) {
	t.Parallel()
	row := packed.Row{Test: 5, Attempt: 2}
	for name, next := range map[string]packed.Row{
		"the same":        {Test: 5, Attempt: 2},
		"a lower attempt": {Test: 5, Attempt: 1},
		"a lower test":    {Test: 4, Attempt: 9},
		"no attempt":      {Test: 6},
		"no status":       {Test: 6, Attempt: 1, Status: 4},
		"no id":           {Test: 1 << 60, Attempt: 1},
	} {
		var w packed.Writer
		if err := w.Add(&row); err != nil {
			t.Fatal(err)
		}
		if w.Add(&next) == nil || w.Len() != 1 {
			t.Errorf("%s is taken", name)
		}
	}
}

func TestWhatIsCutIsDamaged(t *testing.T) {
	t.Parallel()
	whole := pack(t, randomRows(rand.New(rand.NewPCG(3, 1)), 40))
	for n := range whole {
		if _, err := unpack(whole[:n]); err == nil {
			t.Errorf("%d of %d bytes are read", n, len(whole))
		}
	}
	if _, err := unpack(append(slices.Clone(whole), 0)); err == nil {
		t.Error("a byte too many is read")
	}
}

// FuzzEach reads any bytes: what is read can be packed and read again.
func FuzzEach(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(pack(f, randomRows(rand.New(rand.NewPCG(seed, 1)), int(seed)*3)))
	}
	f.Add([]byte{1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		rows, err := unpack(b)
		heads := 0
		errOfHeads := packed.EachHead(b, func(*packed.Row) error { heads++; return nil })
		if err != nil {
			return
		}
		if errOfHeads != nil || heads != len(rows) {
			t.Errorf("%d heads of %d rows, %v", heads, len(rows), errOfHeads)
		}
		if again, err := unpack(pack(t, rows)); err != nil || len(again) != len(rows) {
			t.Errorf("read %d rows, packed %d, %v", len(rows), len(again), err)
		}
	})
}
