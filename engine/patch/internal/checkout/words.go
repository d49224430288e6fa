package checkout

import (
	"bytes"
	"slices"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// words says which files of one language hold which words, so that no file is read to
// look for a text that it does not hold. A word is a run of ASCII letters, digits and
// underscores. Of 10,000 files of 7 KB it takes about 30 MB.
type words struct {
	files  []string           // sorted
	spelt  []byte             // the words with a zero byte before and behind each
	starts []uint32           // where each word starts in spelt
	last   []int32            // the last place of each word
	places []place            // of all words
	table  []int32            // the words by the hash of their letters, 1 + their number, 0 for none
	asked  map[string][]int32 // the files that may hold a text, for texts that were asked for
	recent []string           // the texts of asked, oldest first
}

// place says that a file holds a word, and which place of the same word came before.
type place struct{ file, before int32 }

// maxAsked is how many answers are remembered.
const maxAsked = 256

// wordsOf returns the words of the files of a language, which it reads once.
func (t *Tree) wordsOf(d source.Dialect) *words {
	language := familyOf(d)
	if got, ok := t.words[language]; ok {
		return got
	}
	x := &words{table: make([]int32, 1<<12), spelt: []byte{0}, asked: map[string][]int32{}}
	t.words[language] = x
	for _, file := range t.Files() {
		other, _ := source.DialectOf(file)
		if familyOf(other) != language {
			continue
		}
		text := t.peek(file)
		t.numbers[file] = int32(len(x.files))
		x.add(file, text)
		if language == scan.CSharp {
			t.csharp.add(file, text)
		}
	}
	return x
}

// familyOf returns the language that stands for those whose files import each other.
func familyOf(d source.Dialect) scan.Language {
	if d.IsScript() {
		return scan.TypeScript
	}
	return d.Scan
}

// add adds a file, which sorts behind those that were added before.
func (x *words) add(file string, text []byte) {
	n := int32(len(x.files))
	x.files = append(x.files, file)
	for at := 0; at < len(text); at++ {
		if !isWord[text[at]] {
			continue
		}
		start, hash := at, uint32(hashStart)
		for at < len(text) && isWord[text[at]] {
			hash = (hash ^ uint32(text[at])) * hashPrime
			at++
		}
		w := x.number(text[start:at], hash)
		if last := x.last[w]; last < 0 || x.places[last].file != n {
			x.places = append(x.places, place{n, last})
			x.last[w] = int32(len(x.places) - 1)
		}
	}
}

// isWord tells the bytes of words.
var isWord = func() (is [256]bool) {
	for c := range 128 {
		is[c] = source.IsWordByte(byte(c))
	}
	return is
}()

// number returns the number of a word, a new one for a new word.
func (x *words) number(word []byte, hash uint32) int {
	w, slot := x.find(word, hash)
	if w >= 0 {
		return w
	}
	w = len(x.starts)
	x.starts, x.last = append(x.starts, uint32(len(x.spelt))), append(x.last, -1)
	x.spelt = append(append(x.spelt, word...), 0)
	x.table[slot] = int32(w) + 1
	if 2*len(x.starts) > len(x.table) {
		x.table = make([]int32, 2*len(x.table))
		for known, start := range x.starts {
			end := int(start) + bytes.IndexByte(x.spelt[start:], 0)
			_, slot := x.find(x.spelt[start:end], hashOf(x.spelt[start:end]))
			x.table[slot] = int32(known) + 1
		}
	}
	return w
}

// find returns the number of a word, -1 for one that is not known, and its slot in the
// table.
func (x *words) find(word []byte, hash uint32) (w int, slot uint32) {
	mask := uint32(len(x.table) - 1)
	for slot = hash & mask; x.table[slot] != 0; slot = (slot + 1) & mask {
		w := int(x.table[slot]) - 1
		if spelt := x.spelt[x.starts[w]:]; bytes.HasPrefix(spelt, word) && spelt[len(word)] == 0 {
			return w, slot
		}
	}
	return -1, slot
}

// The hash is FNV-1a of 32 bits (https://www.rfc-editor.org/rfc/rfc9923).
const hashStart, hashPrime = 2166136261, 16777619

func hashOf(word []byte) uint32 {
	hash := uint32(hashStart)
	for _, c := range word {
		hash = (hash ^ uint32(c)) * hashPrime
	}
	return hash
}

// holding returns the files that may hold a text, by their numbers, and false where
// nothing is known. whole says that the text stands alone, as an identifier does.
func (x *words) holding(text string, whole bool) ([]int32, bool) {
	run, isWord := bestRun(text, whole)
	if run == "" {
		return nil, false
	}
	key := run
	if isWord {
		key += "\x00"
	}
	if got, ok := x.asked[key]; ok {
		return got, true
	}
	var got []int32
	for w := range x.numbersOf(run, isWord) {
		for at := x.last[w]; at >= 0; at = x.places[at].before {
			got = append(got, x.places[at].file)
		}
	}
	slices.Sort(got)
	got = slices.Compact(got)
	if len(x.recent) == maxAsked {
		delete(x.asked, x.recent[0])
		x.recent = x.recent[1:]
	}
	x.asked[key], x.recent = got, append(x.recent, key)
	return got, true
}

// bestRun returns the run of word bytes of a text that tells most, and whether it is a
// whole word wherever the text stands.
func bestRun(text string, whole bool) (run string, isWhole bool) {
	for at := 0; at < len(text); at++ {
		if !isWord[text[at]] {
			continue
		}
		start := at
		for at < len(text) && isWord[text[at]] {
			at++
		}
		inner := (whole || start > 0) && (whole || at < len(text))
		if inner && !isWhole || inner == isWhole && at-start > len(run) {
			run, isWhole = text[start:at], inner
		}
	}
	return run, isWhole
}

// numbersOf returns the words that a run is, or is a part of.
func (x *words) numbersOf(run string, whole bool) func(func(int) bool) {
	return func(yield func(int) bool) {
		if whole {
			if w, _ := x.find([]byte(run), hashOf([]byte(run))); w >= 0 {
				yield(w)
			}
			return
		}
		for at := 0; at < len(x.spelt); {
			i := bytes.Index(x.spelt[at:], []byte(run))
			if i < 0 {
				return
			}
			after, found := slices.BinarySearch(x.starts, uint32(at+i))
			if !found {
				after--
			}
			if !yield(after) {
				return
			}
			at += i + bytes.IndexByte(x.spelt[at+i:], 0)
		}
	}
}

// AnyWord reports whether a pattern of word bytes matches in a source file.
func (t *Tree) AnyWord(pattern *lazyregexp.Regexp) bool {
	seen := map[scan.Language]bool{}
	for _, file := range t.Files() {
		d, _ := source.DialectOf(file)
		if language := familyOf(d); !seen[language] {
			seen[language] = true
			if pattern.Match(t.wordsOf(d).spelt) {
				return true
			}
		}
	}
	return false
}

// FilesWith returns those of the files whose text contains a text.
func (t *Tree) FilesWith(files []string, text string) []string {
	may := t.mayHold(text, false)
	return keep(files, func(file string) bool { return may(file) && bytes.Contains(t.Bytes(file), []byte(text)) })
}

// FilesNaming returns those of the files that contain a name as a whole identifier.
func (t *Tree) FilesNaming(files []string, name string) []string {
	may := t.mayHold(name, true)
	return keep(files, func(file string) bool { return may(file) && source.ContainsWord(t.Bytes(file), name) })
}

// AllNaming returns the source files of a language that contain a name as a whole
// identifier; "" is in every file.
func (t *Tree) AllNaming(d source.Dialect, name string) []string {
	x := t.wordsOf(d)
	if name == "" {
		return x.files
	}
	files := x.files
	if holding, known := x.holding(name, true); known {
		files = make([]string, len(holding))
		for i, n := range holding {
			files[i] = x.files[n]
		}
	}
	return keep(files, func(file string) bool { return source.ContainsWord(t.Bytes(file), name) })
}

// mayHold returns what tells of a file whether it may hold a text; false is certain.
func (t *Tree) mayHold(text string, whole bool) func(file string) bool {
	var x *words
	var holding []int32
	known := false
	return func(file string) bool {
		n, listed := t.numbers[file]
		if x == nil || !listed || int(n) >= len(x.files) || x.files[n] != file { // the first, or one of another language
			d, _ := source.DialectOf(file)
			x = t.wordsOf(d)
			holding, known = x.holding(text, whole)
			n, listed = t.numbers[file]
		}
		if !known || !listed {
			return true
		}
		_, holds := slices.BinarySearch(holding, n)
		return holds
	}
}

func keep(files []string, is func(string) bool) []string {
	var out []string
	for _, file := range files {
		if is(file) {
			out = append(out, file)
		}
	}
	return out
}
