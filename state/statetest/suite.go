// Package statetest has the tests that every state.Backend must pass.
package statetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/state"
)

// Suite tests a backend. open returns a new, empty backend that lists new
// items at once.
func Suite(t *testing.T, open func(t *testing.T) state.Backend) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, state.Backend){
		"an empty backend lists nothing":            listsNothing,
		"what was put comes back byte for byte":     comesBack,
		"a name is taken once":                      takenOnce,
		"a list holds the prefix alone":             listsPrefix,
		"the newest comes first":                    newestFirst,
		"an item is whole and says when it was put": describes,
		"an item that is not there is gone":         isGone,
		"an item over the limit is not handed out":  tooLarge,
		"a cancelled call returns the reason":       cancelled,
		"many put at once and none is lost":         concurrent,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func listsNothing(t *testing.T, s state.Backend) {
	t.Helper()
	if items := listItems(t, s, state.DeltaPrefix); len(items) != 0 {
		t.Fatalf("List = %v", items)
	}
}

func comesBack(t *testing.T, s state.Backend) {
	t.Helper()
	want := map[string]string{"manifest.json": "{}\n", "snapshot.db.zst": string(bytes.Repeat([]byte{0, 1, 2, 255}, 100_000)), "empty": ""}
	putItem(t, s, state.SnapshotPrefix+"1-1", want)
	if diff := cmp.Diff(want, getItem(t, s, listOneItem(t, s, state.SnapshotPrefix))); diff != "" {
		t.Error(diff)
	}
}

func takenOnce(t *testing.T, s state.Backend) {
	t.Helper()
	name := state.DeltaPrefix + "7-1-leg"
	putItem(t, s, name, map[string]string{"a": "first"})
	if err := s.Put(t.Context(), name, makeFiles(map[string]string{"a": "second"})); !errors.Is(err, state.ErrExists) {
		t.Errorf("the second Put = %v, want ErrExists", err)
	}
	if got := getItem(t, s, listOneItem(t, s, state.DeltaPrefix)); got["a"] != "first" {
		t.Errorf("the item now holds %q", got)
	}
}

func listsPrefix(t *testing.T, s state.Backend) {
	t.Helper()
	putItem(t, s, state.DeltaPrefix+"1-1", map[string]string{"a": "1"})
	putItem(t, s, state.DeltaPrefix+"10-1", map[string]string{"a": "2"})
	putItem(t, s, state.SnapshotPrefix+"1-1", map[string]string{"a": "3"})
	if got := listNames(t, s, state.DeltaPrefix+"1-"); len(got) != 1 || got[0] != state.DeltaPrefix+"1-1" {
		t.Errorf("List = %v", got)
	}
	if got := listNames(t, s, state.DeltaPrefix); len(got) != 2 {
		t.Errorf("List = %v", got)
	}
}

func newestFirst(t *testing.T, s state.Backend) {
	t.Helper()
	for i := range 3 {
		putItem(t, s, fmt.Sprintf("%s%d-1", state.DeltaPrefix, i), map[string]string{"a": "x"})
	}
	items := listItems(t, s, state.DeltaPrefix)
	for i := 1; i < len(items); i++ {
		if items[i].Created.After(items[i-1].Created) {
			t.Errorf("%s of %v comes after %s of %v", items[i].Name, items[i].Created, items[i-1].Name, items[i-1].Created)
		}
	}
}

func describes(t *testing.T, s state.Backend) {
	t.Helper()
	putItem(t, s, state.DeltaPrefix+"3-1", map[string]string{"a": "xyz"})
	item := listOneItem(t, s, state.DeltaPrefix)
	if item.ID == "" || item.Name != state.DeltaPrefix+"3-1" || item.Created.IsZero() {
		t.Errorf("item %+v", item)
	}
}

func isGone(t *testing.T, s state.Backend) {
	t.Helper()
	putItem(t, s, state.DeltaPrefix+"3-1", map[string]string{"a": "xyz"})
	item := listOneItem(t, s, state.DeltaPrefix)
	item.ID, item.Name = "404404404", state.DeltaPrefix+"404-1"
	if err := s.Get(t.Context(), item, openRoot(t)); !errors.Is(err, state.ErrGone) {
		t.Errorf("Get = %v, want ErrGone", err)
	}
}

func tooLarge(t *testing.T, s state.Backend) {
	t.Helper()
	half := make([]byte, state.MaxBytes/2+1)
	name := state.DeltaPrefix + "9-1"
	err := s.Put(t.Context(), name, fstest.MapFS{"a": {Data: half}, "b": {Data: half}})
	if errors.Is(err, state.ErrTooLarge) {
		return
	}
	if err != nil {
		t.Fatalf("Put = %v", err)
	}
	if err := s.Get(t.Context(), listOneItem(t, s, name), openRoot(t)); !errors.Is(err, state.ErrTooLarge) {
		t.Errorf("Get = %v, want ErrTooLarge", err)
	}
}

func cancelled(t *testing.T, s state.Backend) {
	t.Helper()
	putItem(t, s, state.DeltaPrefix+"1-1", map[string]string{"a": "1"})
	item := listOneItem(t, s, state.DeltaPrefix)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, list := s.List(ctx, "")
	for call, err := range map[string]error{
		"List": list, "Get": s.Get(ctx, item, openRoot(t)),
		"Put": s.Put(ctx, state.DeltaPrefix+"2-1", makeFiles(map[string]string{"a": "1"})),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s = %v, want context.Canceled", call, err)
		}
	}
}

func concurrent(t *testing.T, s state.Backend) {
	t.Helper()
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			name := fmt.Sprintf("%s%d-1", state.DeltaPrefix, i)
			if err := s.Put(t.Context(), name, makeFiles(map[string]string{"a": name})); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	items := listItems(t, s, state.DeltaPrefix)
	if len(items) != 20 {
		t.Fatalf("List returns %d items", len(items))
	}
	for _, item := range items {
		if got := getItem(t, s, item); got["a"] != item.Name {
			t.Errorf("%s holds %q", item.Name, got)
		}
	}
}

func makeFiles(content map[string]string) fs.FS {
	m := fstest.MapFS{}
	for name, text := range content {
		m[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return m
}

func putItem(t *testing.T, s state.Backend, name string, content map[string]string) {
	t.Helper()
	if err := s.Put(t.Context(), name, makeFiles(content)); err != nil {
		t.Fatalf("Put %s: %v", name, err)
	}
}

func getItem(t *testing.T, s state.Backend, item state.Item) map[string]string {
	t.Helper()
	into := openRoot(t)
	if err := s.Get(t.Context(), item, into); err != nil {
		t.Fatalf("Get %s: %v", item.Name, err)
	}
	content := map[string]string{}
	err := fs.WalkDir(into.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(into.FS(), name)
		content[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func openRoot(t *testing.T) *os.Root {
	t.Helper()
	r, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func listOneItem(t *testing.T, s state.Backend, prefix string) state.Item {
	t.Helper()
	items := listItems(t, s, prefix)
	if len(items) != 1 {
		t.Fatalf("List(%s) = %d items", prefix, len(items))
	}
	return items[0]
}

func listItems(t *testing.T, s state.Backend, prefix string) []state.Item {
	t.Helper()
	items, err := s.List(t.Context(), prefix)
	if err != nil {
		t.Fatal(err)
	}
	return items
}

func listNames(t *testing.T, s state.Backend, prefix string) []string {
	t.Helper()
	var all []string
	for _, item := range listItems(t, s, prefix) {
		all = append(all, item.Name)
	}
	return all
}
