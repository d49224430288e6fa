package heal

import (
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal/internal/token"
)

// phrase is a normalised text with what is needed to compare it quickly.
type phrase struct {
	text   string
	hash   uint64
	sketch sketch
	grams  int      // in the sketch
	words  []uint64 // hashes of the words of the first phraseWordBytes bytes
}

const (
	phraseBytes     = 160 // of a text that are compared; containers have far more
	phraseWordBytes = 120
	sketchBytes     = 96
)

// sketch is the set of a text's character trigrams, hashed into 256 buckets.
type sketch [4]uint64

// newPhrase normalises and cuts raw.
func newPhrase(raw string) phrase {
	p := phrase{text: token.Cut(normalizeCut(token.Cut(raw, 4*phraseBytes)), phraseBytes)}
	p.hash = token.Hash(token.Seed, p.text)
	if p.text != "" {
		p.sketch = newSketch(p.text)
		for _, bucket := range p.sketch {
			p.grams += bits.OnesCount64(bucket)
		}
	}
	return p
}

// equal reports whether two phrases are the same text and not empty.
func (p *phrase) equal(q *phrase) bool {
	return p.hash == q.hash && p.text != "" && p.text == q.text
}

// dice returns Dice's coefficient 2|A∩B| / (|A|+|B|) over the two texts' sets
// of character trigrams (L. R. Dice, 1945) in [0,1]; 0 when one is empty.
func (p *phrase) dice(q *phrase) float32 {
	if p.text == "" || q.text == "" {
		return 0
	}
	if p.hash == q.hash && p.text == q.text {
		return 1
	}
	both := 0
	for i := range p.sketch {
		both += bits.OnesCount64(p.sketch[i] & q.sketch[i])
	}
	return 2 * float32(both) / float32(p.grams+q.grams)
}

// newSketch hashes the trigrams of the text's first bytes, two spaces before
// and one after it, so that short texts have some too.
func newSketch(text string) sketch {
	if len(text) > sketchBytes {
		text = text[:sketchBytes]
	}
	var s sketch
	gram := uint32(' ')<<8 | ' '
	for i := 0; i <= len(text); i++ {
		c := byte(' ')
		if i < len(text) {
			c = text[i]
		}
		gram = (gram<<8 | uint32(c)) & 0xffffff
		h := gram * 2654435761 >> 24
		s[h>>6] |= 1 << (h & 63)
	}
	return s
}

// normalizeCut is NormalizeText of the first MaxTextBytes bytes of text, valid
// UTF-8 whatever came in.
func normalizeCut(text string) string {
	if len(text) > engine.MaxTextBytes {
		text = token.Cut(text, engine.MaxTextBytes)
	}
	if singleSpaced(text) {
		return strings.ToLower(text)
	}
	return engine.NormalizeText(strings.ToValidUTF8(text, "\uFFFD"))
}

// singleSpaced reports whether a text is ASCII and normalised but for its case.
func singleSpaced(s string) bool {
	space := true
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= utf8.RuneSelf || c < ' ' || c == ' ' && space {
			return false
		}
		space = c == ' '
	}
	return len(s) == 0 || !space
}
