package selfmend

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// maxBaselineDepth bounds how deep containers of a baseline nest: suites,
// tests, locators and some more.
const maxBaselineDepth = 16

// MergeBaselines merges selfmend baselines, such as the shards of parallel
// workers, into one. It keeps what any of them holds; of an entry that two hold
// in different forms it keeps the one with the greater bytes, so that the order
// of the shards does not matter. The result is JSON with sorted keys, two spaces
// of indentation and a final line feed, the same bytes for the same entries. An
// entry is the outermost object with a value that is no object. Errors name the
// shard, from 1.
func MergeBaselines(shards ...[]byte) ([]byte, error) {
	merged, err := mergeShards(shards)
	if err != nil {
		return nil, err
	}
	return writeBaseline(merged)
}

// RefreshBaseline returns a committed baseline with what the shards of a run
// add to it: of an entry that both hold, the shards' form, which is newer. The
// order of the shards does not matter, and nothing is taken away.
func RefreshBaseline(committed []byte, shards ...[]byte) ([]byte, error) {
	old, err := readBaseline(committed)
	if err != nil {
		return nil, fmt.Errorf("committed baseline: %w", err)
	}
	fresh, err := mergeShards(shards)
	if err != nil {
		return nil, err
	}
	merged, err := mergeTop(old, fresh, pickNewer)
	if err != nil {
		return nil, fmt.Errorf("committed baseline: %w", err)
	}
	return writeBaseline(merged)
}

// PruneBaseline returns the entries of a baseline that one of the shards holds
// as well, whatever their form there. It is for a run that used every locator:
// all other entries are out of date.
func PruneBaseline(baseline []byte, shards ...[]byte) ([]byte, error) {
	whole, err := readBaseline(baseline)
	if err != nil {
		return nil, fmt.Errorf("baseline: %w", err)
	}
	used, err := mergeShards(shards)
	if err != nil {
		return nil, err
	}
	for key, value := range whole {
		if held := asContainer(value); held != nil {
			whole[key] = pruneEntries(held, asContainer(used[key]), 1)
		}
	}
	return writeBaseline(whole)
}

func mergeShards(shards [][]byte) (map[string]any, error) {
	merged := map[string]any{}
	for i, shard := range shards {
		one, err := readBaseline(shard)
		if err == nil {
			merged, err = mergeTop(merged, one, pickGreater)
		}
		if err != nil {
			return nil, fmt.Errorf("baseline %d: %w", i+1, err)
		}
	}
	return merged, nil
}

// pick chooses one of two forms of an entry.
type pick func(a, b any) any

func pickGreater(a, b any) any {
	if canonicalJSON(a) >= canonicalJSON(b) {
		return a
	}
	return b
}

func pickNewer(_, b any) any { return b }

func readBaseline(text []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var top map[string]any
	if err := d.Decode(&top); err != nil {
		return nil, fmt.Errorf("no JSON object: %w", err)
	}
	if d.More() {
		return nil, errors.New("something follows its JSON object")
	}
	if top == nil {
		return nil, errors.New("no JSON object")
	}
	return top, nil
}

func writeBaseline(top map[string]any) ([]byte, error) {
	text, err := encodePlain(top, "  ")
	if err != nil {
		return nil, fmt.Errorf("write baseline: %w", err)
	}
	return text, nil
}

// encodePlain returns v as JSON with a final line feed and without the escapes
// that HTML needs.
func encodePlain(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}

// mergeTop merges the outermost objects, in which a plain value, such as a
// version, must be the same on both sides.
func mergeTop(a, b map[string]any, which pick) (map[string]any, error) {
	for key, right := range b {
		left, both := a[key]
		if !both {
			a[key] = right
			continue
		}
		_, leftHolds := left.(map[string]any)
		_, rightHolds := right.(map[string]any)
		if !leftHolds && !rightHolds && canonicalJSON(left) != canonicalJSON(right) {
			return nil, fmt.Errorf("its %s is %.40s and another's is %.40s", key, canonicalJSON(right), canonicalJSON(left))
		}
		a[key] = mergeEntries(left, right, 1, which)
	}
	return a, nil
}

// mergeEntries merges two containers, or takes one of two entries.
func mergeEntries(a, b any, depth int, which pick) any {
	left, right := asContainer(a), asContainer(b)
	if left == nil || right == nil || depth > maxBaselineDepth {
		return which(a, b)
	}
	for key, value := range right {
		if have, both := left[key]; both {
			value = mergeEntries(have, value, depth+1, which)
		}
		left[key] = value
	}
	return left
}

// asContainer returns v when it is an object of objects, nil when it is an entry.
func asContainer(v any) map[string]any {
	object, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	for _, value := range object {
		if _, ok := value.(map[string]any); !ok {
			return nil
		}
	}
	return object
}

// pruneEntries deletes the entries of a container that are not in the other.
func pruneEntries(whole, used map[string]any, depth int) map[string]any {
	for key, value := range whole {
		other, there := used[key]
		if !there {
			delete(whole, key)
			continue
		}
		inner, innerUsed := asContainer(value), asContainer(other)
		if inner != nil && innerUsed != nil && depth < maxBaselineDepth {
			whole[key] = pruneEntries(inner, innerUsed, depth+1)
		}
	}
	return whole
}

// canonicalJSON returns v's bytes with sorted keys.
func canonicalJSON(v any) string {
	text, _ := json.Marshal(v) // it was decoded from JSON
	return string(text)
}
