package selfmend

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Shard is what one worker of a run of selfmend (v0.2) captured and used.
type Shard struct {
	captures map[string]baselineEntry
	seen     map[string]bool // keys that the worker's locators had
	baseline bool            // it is a baseline, which is older than every shard
}

// ReadShard reads a .selfmend/shards/shard-N.json, or a baseline as the shard of a run
// that used each of its entries. It refuses a file of which something would be lost.
func ReadShard(r io.Reader) (*Shard, error) {
	file, err := readStore(r)
	if err == nil && file.Entries != nil && (file.Captures != nil || file.Seen != nil) {
		err = errors.New("it holds both a baseline's entries and a shard's captures")
	}
	if err == nil && file.Entries == nil && file.Captures == nil {
		err = errors.New("it holds neither a baseline's entries nor a shard's captures")
	}
	if err != nil {
		return nil, fmt.Errorf("read shard: %w", err)
	}
	s := &Shard{captures: file.Captures, seen: map[string]bool{}, baseline: file.Entries != nil}
	if s.baseline {
		s.captures = file.Entries
	}
	for _, key := range slices.AppendSeq(file.Seen, maps.Keys(s.captures)) {
		s.seen[key] = true
	}
	return s, nil
}

// Refresh adds what the shards captured, in the place of the baseline's own entries. Of
// two forms of one entry it takes that of a worker before that of a baseline, and then
// the one that selfmend takes, so that the order of the shards does not matter.
func (b *Baseline) Refresh(shards ...*Shard) {
	captured := map[string]baselineEntry{}
	for _, baseline := range []bool{true, false} {
		newer := map[string]baselineEntry{}
		for _, s := range shards {
			if s.baseline != baseline {
				continue
			}
			for key, e := range s.captures {
				if held, ok := newer[key]; !ok || compareUnits(e.compareKey(), held.compareKey()) > 0 {
					newer[key] = e
				}
			}
		}
		maps.Copy(captured, newer)
	}
	if b.entries == nil {
		b.entries = map[string]baselineEntry{}
	}
	maps.Copy(b.entries, captured)
}

// Prune drops the entries that no shard has seen. It is for a run that used every
// locator: all other entries are out of date.
func (b *Baseline) Prune(shards ...*Shard) {
	maps.DeleteFunc(b.entries, func(key string, _ baselineEntry) bool {
		return !slices.ContainsFunc(shards, func(s *Shard) bool { return s.seen[key] })
	})
}

// compareKey is what selfmend compares two forms of one entry by.
func (e baselineEntry) compareKey() string {
	var attributes []string
	for _, name := range slices.SortedFunc(maps.Keys(e.Attributes), compareUnits) {
		attributes = append(attributes, name+"="+e.Attributes[name])
	}
	return strings.Join([]string{e.Tag, e.Role, e.Text, e.TestID, strings.Join(attributes, ","),
		strconv.Itoa(e.Ordinal), e.ParentTag, e.NeighbourSignature}, "\x00")
}
