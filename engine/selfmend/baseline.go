package selfmend

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/breadcrumb/action/engine"
)

// maxBaselineBytes bounds a baseline file.
const maxBaselineBytes = 64 << 20

// Baseline is what a file of selfmend (v0.2) holds: fingerprints by test,
// locator and occurrence. Reading and writing a file that selfmend wrote gives
// the same bytes. The zero value is empty.
type Baseline struct {
	TestIDAttribute string // that getByTestId reads, "" for data-testid; the file does not say it
	entries         map[string]baselineEntry
}

// baselineEntry is one fingerprint as selfmend stores it, in its order.
type baselineEntry struct {
	Tag                string     `json:"tag"`
	Role               string     `json:"role"`
	Text               string     `json:"text"`
	TestID             string     `json:"testId"`
	Attributes         sortedText `json:"attrs"`
	Ordinal            int        `json:"ordinal"`
	ParentTag          string     `json:"parentTag"`
	NeighbourSignature string     `json:"neighbourSignature"`
}

const baselineVersion = 1

// ReadBaseline reads a .selfmend/baseline.json.
func ReadBaseline(r io.Reader) (*Baseline, error) {
	file, err := readStore(r)
	if err == nil && (file.Captures != nil || file.Seen != nil) {
		err = errors.New("it is the shard of one worker; breadcrumb merge makes a baseline of shards")
	}
	if err != nil {
		return nil, fmt.Errorf("read baseline: %w", err)
	}
	return &Baseline{entries: file.Entries}, nil
}

// storeFile is the JSON of a baseline or of a shard.
type storeFile struct {
	Version  int                      `json:"version"`
	Entries  map[string]baselineEntry `json:"entries"`
	Captures map[string]baselineEntry `json:"captures"`
	Seen     []string                 `json:"seen"`
}

// readStore reads a baseline or a shard. It refuses what would be lost when the file is
// written again: another version, an unknown field, an entry without a tag.
func readStore(r io.Reader) (storeFile, error) {
	var file storeFile
	data, err := io.ReadAll(io.LimitReader(r, maxBaselineBytes+1))
	if err != nil {
		return file, err
	}
	if len(data) > maxBaselineBytes {
		return file, fmt.Errorf("more than %d MiB", maxBaselineBytes>>20)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return file, err
	}
	if decoder.More() {
		return file, errors.New("something follows its JSON object")
	}
	if file.Version != baselineVersion {
		return file, fmt.Errorf("version %d is not known, want %d", file.Version, baselineVersion)
	}
	for _, entries := range []map[string]baselineEntry{file.Entries, file.Captures} {
		for key, e := range entries {
			if e.Tag == "" {
				return file, fmt.Errorf("entry %.80q has no tag", key)
			}
		}
	}
	return file, nil
}

// Write writes the baseline as selfmend does: sorted, indented by two spaces,
// with a final newline.
func (b *Baseline) Write(w io.Writer) error {
	entries, err := marshalSorted(b.entries)
	if err != nil {
		return fmt.Errorf("write baseline: %w", err)
	}
	var out bytes.Buffer
	compact := fmt.Appendf(nil, `{"version":%d,"entries":%s}`, baselineVersion, entries)
	if err := json.Indent(&out, compact, "", "  "); err != nil {
		return fmt.Errorf("write baseline: %w", err)
	}
	out.WriteByte('\n')
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write baseline: %w", err)
	}
	return nil
}

// Fingerprint returns the fingerprint of a test's locator under the name it is
// stored by, such as "#save" or "#save #2" for its second occurrence.
func (b *Baseline) Fingerprint(testID, locator string) (engine.Fingerprint, bool) {
	id := engine.NewTestID(testID)
	key, ok := b.keyOf(id, locator)
	if !ok {
		return engine.Fingerprint{}, false
	}
	f := b.entries[key].fingerprint(b.testIDAttribute())
	f.TestID, f.Locator = id, locator
	return f, true
}

// Put adds a fingerprint by its TestID and Locator, or replaces what is there.
func (b *Baseline) Put(f engine.Fingerprint) error {
	if f.TestID == "" || f.Locator == "" || f.Tag == "" {
		return errors.New("a baseline's fingerprint needs a test id, a locator and a tag")
	}
	if b.entries == nil {
		b.entries = map[string]baselineEntry{}
	}
	key, found := b.keyOf(f.TestID, f.Locator)
	e := entryOf(f, b.testIDAttribute())
	if old := b.entries[key]; found && engine.NormalizeText(old.Text) == e.Text {
		e.Text = old.Text // a fingerprint's text is in small letters
	}
	b.entries[key] = e
	return nil
}

// Forget deletes the fingerprint that Fingerprint returns, or every one for "" and "", and
// returns how many it deleted. A test's are not told from another's by the test alone:
// with a test and no locator nothing is deleted.
func (b *Baseline) Forget(testID, locator string) int {
	before := len(b.entries)
	if testID == "" && locator == "" {
		clear(b.entries)
	} else if key, ok := b.keyOf(engine.NewTestID(testID), locator); ok && locator != "" {
		delete(b.entries, key)
	}
	return before - len(b.entries)
}

func (b *Baseline) testIDAttribute() string { return cmp.Or(b.TestIDAttribute, "data-testid") }

// stableAttributes are those selfmend keeps.
var stableAttributes = []string{"name", "type", "value", "placeholder", "title", "alt", "href", "for", "aria-label"}

func entryOf(f engine.Fingerprint, testIDAttribute string) baselineEntry {
	e := baselineEntry{Tag: f.Tag, Text: f.Text, Attributes: sortedText{}, Ordinal: -1, NeighbourSignature: "|"}
	e.Role, _ = f.Attributes.Get("role")
	e.TestID, _ = f.Attributes.Get(testIDAttribute)
	for _, a := range f.Attributes {
		if slices.Contains(stableAttributes, a.Name) {
			e.Attributes[a.Name] = a.Value
		}
	}
	if n := len(f.DOMPath); n > 1 {
		e.ParentTag = f.DOMPath[n-2]
	}
	if f.Place != nil {
		e.Ordinal, e.NeighbourSignature = f.Place.Ordinal, f.Place.Before+"|"+f.Place.After
	}
	return e
}

func (e baselineEntry) fingerprint(testIDAttribute string) engine.Fingerprint {
	before, after, _ := strings.Cut(e.NeighbourSignature, "|")
	f := engine.Fingerprint{Tag: e.Tag, Text: e.Text, Place: &engine.Place{Ordinal: e.Ordinal, Before: before, After: after}}
	for _, name := range slices.Sorted(maps.Keys(e.Attributes)) {
		f.Attributes = append(f.Attributes, engine.Attribute{Name: name, Value: e.Attributes[name]})
	}
	for name, value := range map[string]string{"role": e.Role, testIDAttribute: e.TestID} {
		if value != "" {
			f.Attributes = append(f.Attributes, engine.Attribute{Name: name, Value: value})
		}
	}
	slices.SortFunc(f.Attributes, func(a, b engine.Attribute) int { return strings.Compare(a.Name, b.Name) })
	if e.ParentTag != "" {
		f.DOMPath = []string{e.ParentTag, e.Tag}
	}
	return f
}

// sortedText is a JSON object with its keys in the order of JavaScript's sort.
type sortedText map[string]string

// MarshalJSON returns the object.
func (s sortedText) MarshalJSON() ([]byte, error) { return marshalSorted(s) }

// marshalSorted writes an object with its keys in the order of their UTF-16
// units and its texts as JavaScript's JSON.stringify writes them.
func marshalSorted[V any](object map[string]V) ([]byte, error) {
	var fields []string
	for _, key := range slices.SortedFunc(maps.Keys(object), compareUnits) {
		name, _ := stringify(key) // a string always encodes
		value, err := stringify(object[key])
		if err != nil {
			return nil, err
		}
		fields = append(fields, name+":"+value)
	}
	return []byte("{" + strings.Join(fields, ",") + "}"), nil
}

func compareUnits(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

// separators writes U+2028 and U+2029 themselves, where Go escapes them; the
// first pair keeps an escaped backslash from what follows it.
var separators = strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029")

// stringify is json.Marshal without the escapes that JavaScript does not make.
func stringify(v any) (string, error) {
	text, err := encodePlain(v, "")
	return separators.Replace(strings.TrimSuffix(string(text), "\n")), err
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
