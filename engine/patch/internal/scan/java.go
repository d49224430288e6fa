package scan

import "github.com/breadcrumb/action/internal/lazyregexp"

// syntaxEscape matches a backslash with what follows it: another character, or the
// Unicode escape of one in ASCII.
var syntaxEscape = lazyregexp.New(`\\(?:u+00([0-7])[0-9A-Fa-f]|[^u]|u+)`)

// refuseSyntaxEscape fails where a Unicode escape stands for a character of ASCII. Java
// decodes it before it looks for quotes and comments
// (https://docs.oracle.com/javase/specs/jls/se21/html/jls-3.html#jls-3.3), so
// "\u0022+exit()+\u0022" is two strings and a call.
func (s *scanner) refuseSyntaxEscape() {
	for _, m := range syntaxEscape.FindAllSubmatchIndex(s.src, -1) {
		if m[2] >= 0 {
			s.failAt(m[0], "a Unicode escape stands for a character of Java's syntax")
			return
		}
	}
}
