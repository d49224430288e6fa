package live

// Page is a page of a browser.
type Page interface {
	URL() string
	// Frames returns the page's frames, the main one first. The same frame is equal to
	// itself.
	Frames() []Frame
}

// Frame is a document of a page.
type Frame interface {
	Name() string
	URL() string
	// Find returns a locator of what a selector finds in the frame.
	Find(selector string) Locator
	// Evaluate calls a JavaScript function in the frame and returns what it returns.
	Evaluate(function string, arguments ...any) (any, error)
	// EvaluateHandle is Evaluate for a value that stays in the page.
	EvaluateHandle(function string, argument any) (Handle, error)
}

// Locator is a way to find elements, in Playwright's sense.
type Locator interface {
	// Selector returns what it looks for in Playwright's own notation.
	Selector() string
	Count() (int, error)
	// EvaluateAll calls a JavaScript function with the elements that are found now.
	EvaluateAll(function string, arguments ...any) (any, error)
	// Err returns why the locator can find nothing, such as a bad option, or nil.
	Err() error
}

// SelfReading is a Locator that has its page read in a way of its own. It is of a browser
// that answers in the order it is asked: what a call finds can be asked for right before the
// call, and the call need not wait for it.
type SelfReading interface {
	StartReading(testIDAttribute string) Reading
}

// Reading waits for what [ObserveScript] returns for a locator. Each of frames waits for what
// [PageScript] returns in a frame of the page. The one that the element is in may be among
// them: its text names the same document. frames is nil where other frames are still to be
// asked.
type Reading func() (own string, frames []Answer, err error)

// Answer waits for what a page says.
type Answer func() (string, error)

// Handle is a value in a page. It can be an argument of a function that is called there.
type Handle interface {
	Evaluate(function string, arguments ...any) (any, error)
	Dispose() error
}

// Subject is what a call of a test looks for.
type Subject struct {
	Page    Page
	Locator Locator
	Name    string // the selector as it was given to a page or frame, else ""
	Site    Site   // where the locator is written
	Base    Frame  // that the locator begins in, nil when that is not known
	// Before is what the same call looks for first, as a drag does for what is dragged; nil
	// for nothing. A call that did not find it tells nothing of this one.
	Before Locator
	// Made says that the call is made as the test wrote it, whatever is known of its element.
	Made bool
	// Document returns the frame that is looked in; known is false when that cannot be
	// told. A frame that is known to be gone is nil.
	Document func() (frame Frame, known bool)
	// Settle makes the call as the test wrote it where it was not made yet, and reports
	// whether its element came after all; nil for a call that was made. What is not healed is
	// told after it.
	Settle func() bool

	lookAgain func() // asks the page once more what it shows, set while [Read] makes its call
}

// LookAgain asks the page once more what the subject finds. A call that waits for its element
// before it acts on it says so when the element has come: what the call does may take it away.
func (s *Subject) LookAgain() {
	if s.lookAgain != nil {
		s.lookAgain()
	}
}
