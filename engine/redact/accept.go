package redact

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isRealValue reports whether what stands for a secret is a value and not a word
// about one, code that would compute it, or a mask.
func isRealValue(m match) bool {
	s := strings.TrimSpace(m.secret())
	return utf8.RuneCountInString(s) >= 3 && !slices.Contains(placeholders, strings.ToLower(s)) && !isMask(s) && !code.MatchString(s)
}

// placeholders are words that stand where a secret would.
var placeholders = []string{
	"true", "false", "null", "nil", "none", "undefined", "empty", "unset", "string", "number", "object", "required", "invalid", "missing",
	"expected", "received", "actual", "redacted", "masked", "hidden", "filtered", "await", "new", "const", "password", "secret", "token",
	"[redacted]", "[filtered]", "[masked]", "[hidden]", "[object object]",
}

// code matches what is computed, and not a value: ${X}, {{ x }}, <token>, %s,
// process.env.X, self.password, get_token(…), access_token.
var code = regexp.MustCompile(`^(?:\$[{(].*|\$\$?[A-Z_]+|%[sdvq]|%\(.*|\{.*\}|[<(\[].*|=.*|(?:self|this|process\.env|os\.environ|config|settings|env|ctx|context|options|args|params|props|req|request|res|response|data|user|body|credentials|import\.meta)\.[\w.\[\]]+|[A-Za-z_][\w.]*\(.*|(?i:[a-z]+(?:[_.][a-z]+)*(?:password|token|secret|key|credentials?)))$`)

// isMask reports whether s holds one character over and over: nothing is left of
// what it was.
func isMask(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return strings.Trim(s, string(first)) == "" && !unicode.IsLetter(first) && !unicode.IsDigit(first) || strings.HasPrefix(s, Mask) || strings.EqualFold(strings.Trim(s, "xX"), "")
}

// isFlagValue reports whether the word behind a flag, such as --token, is a value.
func isFlagValue(m match) bool { return isRealValue(m) && !strings.HasSuffix(m.before, "-") }

// isNamedValue reports whether a text in quotes is the value of the name before it.
func isNamedValue(m match) bool { return isRealValue(m) && !isAboutSyntax(m) }

// isNamedWord reports whether a word is the value of the name before it: "x=1" gives
// one, while "x: word" and "x = word" may be prose or code.
func isNamedWord(m match) bool {
	if !isRealValue(m) || isAboutSyntax(m) {
		return false
	}
	separator, value := m.groups[1], m.secret()
	return separator == "=" && !strings.HasPrefix(value, "=") || !place.MatchString(value) && isMixed(value, 6)
}

// place matches a line and column, a path or a number, which a name such as token or pwd
// is followed by in messages of compilers and shells.
var place = regexp.MustCompile(`^(?:\d+(?:[:.]\d+)*:?|[./~\\].*|[A-Za-z]:[\\/].*|[\w-]+\.(?:[jt]sx?|py|go|java|cs|rb|php)\b.*)$`)

// syntaxWords stand before "token" in messages of parsers.
var syntaxWords = regexp.MustCompile(`(?i)(?:unexpected|expected|invalid|illegal|unknown|missing|reserved|syntax|next|current|found|got|bad)\s*$`)

// isAboutSyntax reports whether a match is about a token that a parser met.
func isAboutSyntax(m match) bool {
	return strings.EqualFold(m.groups[0], "token") && syntaxWords.MatchString(m.before[max(0, len(m.before)-20):])
}

// isOpaque reports whether a text looks made by a machine.
func isOpaque(m match) bool { return isRealValue(m) && isMixed(m.secret(), 8) }

// isMixed reports whether s has at least so many bytes, with letters and with digits, or is
// so long that it is no word.
func isMixed(s string, least int) bool {
	digit := strings.ContainsFunc(s, unicode.IsDigit)
	letter := strings.ContainsFunc(s, unicode.IsLetter)
	upper := strings.ContainsFunc(s, unicode.IsUpper)
	symbol := strings.ContainsAny(s, "!@#$%^&*+~?/=")
	return len(s) >= least && (letter && (digit || symbol) || upper && len(s) >= 24) || letter && len(s) >= 40
}

// isBasic reports whether a text is the Base64 of user:password (RFC 7617).
func isBasic(m match) bool {
	s := strings.TrimRight(m.secret(), "=")
	plain, err := base64.RawStdEncoding.DecodeString(s)
	return err == nil && utf8.Valid(plain) && strings.ContainsRune(string(plain), ':') && !strings.ContainsFunc(string(plain), unicode.IsControl)
}
