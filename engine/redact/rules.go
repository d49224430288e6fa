package redact

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// rule finds secrets of one kind.
type rule struct {
	// hints are texts of which a match holds one, so that most texts need no search.
	hints []string
	// named says that the hints are secretNames.
	named bool
	// pattern matches a secret with what stands around it. The secret is its last
	// group that matches something, or without groups the whole match.
	pattern *lazyregexp.Regexp
	accept  func(match) bool // whether a match is a secret; nil: it always is
}

// match is what a rule's pattern found.
type match struct {
	before string   // the text in front of it
	groups []string // those that matched something; the last is the secret
}

func (m match) secret() string { return m.groups[len(m.groups)-1] }

// mayMatch reports whether a text holds one of the hints.
func (r rule) mayMatch(s string) bool {
	return slices.ContainsFunc(r.hints, func(hint string) bool { return strings.Contains(s, hint) })
}

// replace returns s with a mask in the place of what the rule finds.
func (r rule) replace(s string) string {
	var out strings.Builder
	at := 0
	for _, found := range r.pattern.FindAllStringSubmatchIndex(s, -1) {
		m := match{before: s[:found[0]]}
		start, end := found[0], found[1]
		for i := 2; i < len(found); i += 2 {
			if found[i] < found[i+1] {
				start, end = found[i], found[i+1]
				m.groups = append(m.groups, s[start:end])
			}
		}
		if r.accept == nil || len(m.groups) > 0 && r.accept(m) {
			out.WriteString(s[at:start])
			out.WriteString(Mask)
			at = end
		}
	}
	out.WriteString(s[at:])
	return out.String()
}

// rules are applied in this order, with hints in lower case: what holds a whole secret before what looks at
// a part of it.
var rules = []rule{
	{hints: []string{"private key"}, pattern: lazyregexp.New(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)`)},
	{hints: []string{"://"}, pattern: lazyregexp.New(`(?i)\b[a-z][a-z0-9+.-]*://([^\s/?#@:"'<>]*:[^\s/?#"'<>]+)@`)},
	{hints: []string{"://"}, pattern: lazyregexp.New(`(?i)\b[a-z][a-z0-9+.-]*://([^\s/?#@:"'<>]{16,})@`)},
	{hints: []string{"hooks.slack.com", "webhook"}, pattern: lazyregexp.New(`https://(?:hooks\.slack\.com/(?:services|workflows)|(?:\w+\.)?discord(?:app)?\.com/api/webhooks|[\w.-]+\.webhook\.office\.com/webhookb2)/([\w/@+=.-]+)`)},
	{hints: []string{"eyj"}, pattern: lazyregexp.New(`\beyJ[\w-]{6,}\.[\w-]{4,}(?:\.[\w-]*){0,3}`)},
	{hints: []string{"authorization"}, pattern: lazyregexp.New(
		`(?i)authorization\\?["']?[ \t]*(?:[:=]>?|,)[ \t]*\\?["']?(?:bearer|basic|digest|token|negotiate|ntlm|api-?key|hawk|aws4-hmac-sha256)[ \t]+([^\n"'}\\]+)`), accept: isRealValue},
	{hints: []string{"authorization"}, pattern: lazyregexp.New(`(?i)authorization\\?["']?[ \t]*[:=]>?[ \t]*\\?["']?([^\s"',;}\\]+)`), accept: isOpaque},
	{hints: []string{"cookie"}, pattern: lazyregexp.New(`(?i)\b(?:set-)?cookie\\?["']?[ \t]*[:=][ \t]*\\?["']?([\w.-]+=[^\n"'\\]+)`)},
	{hints: []string{"x-", "api-key", "private-token", "job-token"}, pattern: lazyregexp.New(
		`(?i)\b(?:x-[a-z-]*(?:key|token|secret|auth|signature)[a-z-]*|api-key|private-token|job-token)\\?["']?[ \t]*[:=][ \t]*\\?["']?([^\s"',;}\\]+)`), accept: isRealValue},
	{hints: []string{"bearer"}, pattern: lazyregexp.New(`(?i)\bbearer[ \t]+([\w.~+/=-]{8,})`), accept: isOpaque},
	{hints: []string{"basic"}, pattern: lazyregexp.New(`(?i)\bbasic[ \t]+([A-Za-z0-9+/]{6,}={0,2})`), accept: isBasic},
	{hints: []string{"password"}, pattern: lazyregexp.New(
		`(?i)<input\b(?:[^>\n]*type=["']?password\b[^>\n]*\bvalue=["']([^"'\n]+)["']|[^>\n]*\bvalue=["']([^"'\n]+)["'][^>\n]*type=["']?password\b)`)},
	{named: true, pattern: lazyregexp.New(`(?i)<[\w.:-]*` + name + `>([^<\n]+)</`), accept: isRealValue},
	{named: true, pattern: lazyregexp.New(`(?i)--?[\w-]*` + name + `[ \t]+(?:"([^"\n]+)"|'([^'\n]+)'|([^\s"'-][^\s"']*))`), accept: isFlagValue},
	{hints: []string{"-u", "--user"}, pattern: lazyregexp.New(`(?:^|\s)(?:-u|--user)[ =]+["']?([^\s:"']+:[^\s"']+)`)},
	{named: true, pattern: lazyregexp.New(`(?i)(` + name + `)\\?["'\]]{0,2}[ \t]*(?:=>|:=|[=:])[ \t]*(?:\\"([^"\\\n]+)\\"|"((?:[^"\\\n]|\\.)+)"|'((?:[^'\\\n]|\\.)+)'|` + "`([^`\n]+)`" + `)`), accept: isNamedValue},
	{named: true, pattern: lazyregexp.New(`(?i)(` + name + `)["'\]]{0,2}([ \t]*(?:=>|:=|[=:])[ \t]*)([^\s"'` + "`" + `,;&)}\]<>|]+)`), accept: isNamedWord},
	{hints: []string{"?", "&"}, pattern: lazyregexp.New(
		`(?i)[?&](?:sig|signature|x-(?:amz|goog)-(?:signature|credential|security-token)|key|code|auth|jwt|session|sid|ticket|assertion|samlresponse)=([^&\s"'#<>)]+)`), accept: isOpaque},
}

// name matches the end of what a secret is called: DB_PASSWORD, x.clientSecret,
// api-key.
const name = `(?:passw(?:or)?d|passwort|passphrase|passcode|pwd|[_-]pass|secret|token|credentials?|(?:api|access|private|signing|encryption|account|auth|master|session|license|storage)[_-]?key|session[_-]?id|sessid|\botp)(?:[_-]?(?:value|base|hash|key|id|\d{1,2}))?`

// secretNames are parts of every name, in lower case.
var secretNames = []string{"passw", "passphrase", "passcode", "pwd", "pass", "secret", "token", "credential", "key", "sess", "otp"}

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
var code = lazyregexp.New(`^(?:\$[{(].*|\$\$?[A-Z_]+|%[sdvq]|%\(.*|\{.*\}|[<(\[].*|=.*|(?:self|this|process\.env|os\.environ|config|settings|env|ctx|context|options|args|params|props|req|request|res|response|data|user|body|credentials|import\.meta)\.[\w.\[\]]+|[A-Za-z_][\w.]*\(.*|(?i:[a-z]+(?:[_.][a-z]+)*(?:password|token|secret|key|credentials?)))$`)

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
var place = lazyregexp.New(`^(?:\d+(?:[:.]\d+)*:?|[./~\\].*|[A-Za-z]:[\\/].*|[\w-]+\.(?:[jt]sx?|py|go|java|cs|rb|php)\b.*)$`)

// syntaxWords stand before "token" in messages of parsers.
var syntaxWords = lazyregexp.New(`(?i)(?:unexpected|expected|invalid|illegal|unknown|missing|reserved|syntax|next|current|found|got|bad)\s*$`)

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
