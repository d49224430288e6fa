package statetest

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/breadcrumb/action/state"
)

// Memory is a backend in memory. Its items have the origin of the run that
// uses it, see As, and may be listed late.
type Memory struct {
	// Lag returns the number of calls after which a new item is listed; nil
	// means at once.
	Lag func() int
	// Fail, when set, is called before every call ("List", "Get name", …) and
	// returns the error to end it with.
	Fail func(call string) error

	mu    sync.Mutex
	calls int
	items []kept
}

type kept struct {
	item  state.Item
	files map[string][]byte
	due   int // call from which it is listed
}

// As returns the backend as the run of an origin sees it.
func (m *Memory) As(origin state.Origin) state.Backend { return &view{m, origin} }

// Forge adds an item as it is, listed at once.
func (m *Memory) Forge(item state.Item, files map[string][]byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keepItem(item, files, 0)
}

// CatchUp lists every item from now on.
func (m *Memory) CatchUp() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Lag = nil
	for i := range m.items {
		m.items[i].due = 0
	}
}

// Names returns the names of all items, listed or not, in the order in which
// they were put.
func (m *Memory) Names() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	names := make([]string, len(m.items))
	for i, k := range m.items {
		names[i] = k.item.Name
	}
	return names
}

// Files returns what an item holds.
func (m *Memory) Files(name string) map[string][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range m.items {
		if k.item.Name == name {
			return k.files
		}
	}
	return nil
}

func (m *Memory) keepItem(item state.Item, files map[string][]byte, lag int) {
	item.ID = fmt.Sprint(len(m.items) + 1)
	if item.Created.IsZero() {
		item.Created = time.Unix(1_700_000_000, 0).Add(time.Duration(len(m.items)) * time.Minute)
	}
	m.items = append(m.items, kept{item, files, m.calls + lag})
}

// beginCall counts a call.
func (m *Memory) beginCall(ctx context.Context, call string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	m.calls++
	m.mu.Unlock()
	if m.Fail == nil {
		return nil
	}
	return m.Fail(call)
}

// view is a Memory as one run uses it.
type view struct {
	m      *Memory
	origin state.Origin
}

// List implements state.Backend.
func (v *view) List(ctx context.Context, prefix string) ([]state.Item, error) {
	if err := v.m.beginCall(ctx, "List"); err != nil {
		return nil, err
	}
	v.m.mu.Lock()
	defer v.m.mu.Unlock()
	var items []state.Item
	for _, k := range slices.Backward(v.m.items) {
		if strings.HasPrefix(k.item.Name, prefix) && k.due <= v.m.calls {
			items = append(items, k.item)
		}
	}
	slices.SortStableFunc(items, func(a, b state.Item) int { return b.Created.Compare(a.Created) })
	return items, nil
}

// Get implements state.Backend.
func (v *view) Get(ctx context.Context, item state.Item, into *os.Root) error {
	if err := v.m.beginCall(ctx, "Get "+item.Name); err != nil {
		return err
	}
	v.m.mu.Lock()
	defer v.m.mu.Unlock()
	i := slices.IndexFunc(v.m.items, func(k kept) bool { return k.item.ID == item.ID })
	if i < 0 {
		return state.ErrGone
	}
	left := int64(state.MaxBytes)
	for name, text := range v.m.items[i].files {
		n, err := state.WriteFile(into, name, bytes.NewReader(text), left)
		if err != nil {
			return err
		}
		left -= n
	}
	return nil
}

// Put implements state.Backend.
func (v *view) Put(ctx context.Context, name string, files fs.FS) error {
	if err := v.m.beginCall(ctx, "Put "+name); err != nil {
		return err
	}
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return err
	}
	content := map[string][]byte{}
	for _, e := range entries {
		if content[e.Name()], err = fs.ReadFile(files, e.Name()); err != nil {
			return err
		}
	}
	lag := 0
	v.m.mu.Lock()
	defer v.m.mu.Unlock()
	if v.m.Lag != nil {
		lag = v.m.Lag()
	}
	for _, k := range v.m.items {
		if k.item.Name == name && k.item.Origin.RunID == v.origin.RunID {
			return state.ErrExists
		}
	}
	v.m.keepItem(state.Item{Name: name, Origin: v.origin}, content, lag)
	return nil
}
