package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"github.com/breadcrumb/action/engine"
)

// Veto is what a person said: the element with this signature is not the one that the
// locator lost. It holds until a person takes it back.
type Veto struct {
	TestID    engine.TestID // "": whatever the test
	Locator   string        // as stored, see engine.StoredLocator
	Signature string        // of the element, as heal.SignatureOf returns it
	Who       string
	At        time.Time
}

// Lesson is what a person taught by accepting a suggestion, in the two texts of
// heal.Lesson. Words alone, which an older version kept, teach nothing any more: they
// said nothing of the element they are about.
type Lesson struct {
	Was, Now string
	Who      string
	At       time.Time
}

// Accepted is the element that a person took for a locator's by accepting the edit that
// put the locator into a test. It stands for what a passing test would have learned,
// until one does.
type Accepted struct {
	Fingerprint engine.Fingerprint // of the test and the locator that it names, as stored
	Who         string
	At          time.Time
}

// MaxCorrections is how many vetoes or lessons are listed at most: the newest.
const MaxCorrections = 10_000

// Bounds of their texts in bytes.
const (
	MaxWho   = 256
	MaxWords = 1 << 10
)

// ID names the veto for people, in 8 hex digits.
func (v Veto) ID() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{string(v.TestID), v.Locator, v.Signature}, "\x00")))
	return hex.EncodeToString(sum[:4])
}

// Clean returns v as it is stored, or an error when it names no locator or element.
func (v Veto) Clean() (Veto, error) {
	if v.Locator == "" || v.Signature == "" {
		return v, errors.New("it names no locator or no element")
	}
	v.TestID, v.Locator, v.Signature = engine.NewTestID(string(v.TestID)), CleanID(v.Locator), CleanID(v.Signature)
	v.Who, v.At = CleanText(v.Who, MaxWho), FromUnix(Unix(v.At))
	return v, nil
}

// Clean returns l as it is stored, or an error when it has no words.
func (l Lesson) Clean() (Lesson, error) {
	if l.Was == "" || l.Now == "" || len(l.Was) > MaxWords || len(l.Now) > MaxWords {
		return l, errors.New("it has no words or too many")
	}
	l.Was, l.Now = Clean(l.Was), Clean(l.Now)
	l.Who, l.At = CleanText(l.Who, MaxWho), FromUnix(Unix(l.At))
	return l, nil
}

// Learned says which learned elements are meant: those of a page, of a test, or the
// one that a test knows by a locator.
type Learned struct {
	Page    string        // as engine.Fingerprint.IsPage takes it; "": of a test
	TestID  engine.TestID // "": of a page
	Locator string        // as stored; "": all of the test
}

// LearnedElement names an element that was learned.
type LearnedElement struct {
	TestID  engine.TestID
	Locator string
}
