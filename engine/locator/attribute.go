package locator

import "strings"

// attributeCondition is one [name=value] of an attribute selector.
type attributeCondition struct {
	raw      string // with its brackets
	name     string // parts joined by dots
	operator string // "" for [name]
	value    string // decoded; /source/flags with regexp
	quoted   bool   // value stands in quotes
	loose    bool   // ignores case: i behind the quotes
	regexp   bool
}

// isText reports whether the condition compares with a text or regular expression.
// Words without quotes are texts but for true and false.
func (c attributeCondition) isText() bool {
	return c.operator == "=" && (c.quoted || c.regexp || c.value != "true" && c.value != "false")
}

func (c attributeCondition) match() Match {
	switch {
	case c.regexp:
		return MatchUnset
	case c.loose:
		return MatchLoose
	}
	return MatchExact
}

// readAttributes reads `tag[name="value"i][flag]` by the rules of Playwright's own
// parser (parseAttributeSelector in packages/isomorphic/selectorParser.ts). It returns
// false where that one fails.
func readAttributes(text string) (tag string, conditions []attributeCondition, ok bool) {
	r := &attributeReader{text: text}
	tag = r.readWord()
	r.skipSpaces()
	for r.next() == '[' {
		start := r.at
		c := r.readCondition()
		if r.failed {
			return "", nil, false
		}
		c.raw = text[start:r.at]
		conditions = append(conditions, c)
		r.skipSpaces()
	}
	return tag, conditions, r.at == len(text) && (tag != "" || len(conditions) > 0)
}

// attributeReader reads an attribute selector. Once it failed it stays failed.
type attributeReader struct {
	text   string
	at     int
	failed bool
}

// next returns the next byte, 0 at the end.
func (r *attributeReader) next() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// take returns the next byte and moves behind it.
func (r *attributeReader) take() byte {
	c := r.next()
	if r.at < len(r.text) {
		r.at++
	}
	return c
}

func (r *attributeReader) expect(c byte) {
	if r.take() != c {
		r.failed = true
	}
}

func (r *attributeReader) skipSpaces() {
	rest := r.text[r.at:]
	r.at += len(rest) - len(strings.TrimLeft(rest, " \t\r\n\f\v"))
}

func (r *attributeReader) readWord() string {
	r.skipSpaces()
	return r.takeWhile(isNameByte)
}

func (r *attributeReader) takeWhile(accepts func(byte) bool) string {
	start := r.at
	for r.at < len(r.text) && accepts(r.text[r.at]) {
		r.at++
	}
	return r.text[start:r.at]
}

func isNameByte(c byte) bool {
	return c >= 0x80 || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' || c == '-'
}

func (r *attributeReader) readCondition() attributeCondition {
	r.expect('[')
	c := attributeCondition{name: r.readName()}
	if r.next() == ']' {
		r.take()
		return c
	}
	c.operator = r.readOperator()
	r.skipSpaces()
	switch r.next() {
	case '/':
		c.value, c.regexp = plainRegexp(r.readRegexp()), true
		r.failed = r.failed || c.operator != "="
	case '"', '\'':
		c.value, c.quoted = r.readQuoted(), true
		r.skipSpaces()
		switch r.next() {
		case 'i', 'I':
			r.take()
			c.loose = true
		case 's', 'S':
			r.take()
		}
	default:
		c.value = r.takeWhile(func(c byte) bool { return isNameByte(c) || c == '+' || c == '.' })
	}
	r.skipSpaces()
	r.expect(']')
	return c
}

// readName reads a name, or several with dots between them.
func (r *attributeReader) readName() string {
	var parts []string
	for {
		part := ""
		r.skipSpaces()
		if next := r.next(); next == '"' || next == '\'' {
			part = r.readQuoted()
		} else {
			part = r.readWord()
		}
		r.failed = r.failed || part == ""
		parts = append(parts, part)
		r.skipSpaces()
		if r.next() != '.' || r.failed {
			return strings.Join(parts, ".")
		}
		r.take()
	}
}

// readOperator reads =, or one of *= ^= $= |= ~=.
func (r *attributeReader) readOperator() string {
	r.skipSpaces()
	c := r.take()
	if c == '=' {
		return "="
	}
	r.failed = r.failed || strings.IndexByte("*^$|~", c) < 0
	r.expect('=')
	return string(c) + "="
}

// readQuoted reads a quoted string and decodes it: a backslash stands for the
// character behind it.
func (r *attributeReader) readQuoted() string {
	start := r.at
	r.at = closingQuote(r.text, start)
	if r.at == len(r.text) {
		r.failed = true
		return ""
	}
	r.at++
	return unquoteCSS(r.text[start:r.at])
}

// readRegexp reads /source/flags. A slash in a class of characters does not end it.
func (r *attributeReader) readRegexp() string {
	start, inClass := r.at, false
	r.take()
	for c := r.next(); c != '/' || inClass; c = r.next() {
		switch {
		case r.at == len(r.text):
			r.failed = true
			return ""
		case c == '\\':
			r.take()
		case c == '[':
			inClass = true
		case c == ']':
			inClass = false
		}
		r.take()
	}
	r.take()
	r.takeWhile(func(c byte) bool { return strings.IndexByte("dgimsuy", c) >= 0 })
	return r.text[start:r.at]
}
