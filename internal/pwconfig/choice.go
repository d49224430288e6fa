package pwconfig

import (
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

const maxChoices = 100 // choices in one configuration that are decided

var (
	// onCI matches a question whether CI runs the tests, of a script whose strings are
	// blank: process.env.CI, or a name that was set to it.
	onCI   = lazyregexp.New(`(!*)\s*\(?\bprocess\.env\.CI\b\)?\s*(?:===?\s*["'] *["']\s*)?\?`)
	named  = lazyregexp.New(`\b(?:const|let|var)\s+(\w+)\s*=\s*(?:Boolean\(\s*)?(!*)\s*process\.env\.CI\b\s*\)?\s*[;\n]`)
	asking = "process.env.CI"
)

// decideForCI returns a script in which every `process.env.CI ? a : b` is the value that
// it has in CI. Other conditions stay.
func decideForCI(source string) string {
	for _, m := range named.FindAllStringSubmatch(source, maxChoices) {
		question := lazyregexp.New(`([^\w.$])` + m[1] + `(\s*\?[^.?])`)
		source = question.ReplaceAllString(source, "${1}"+strings.Repeat("!", len(m[2])%2)+asking+"${2}")
	}
	for range maxChoices {
		mask := maskLiterals(source)
		m := onCI.FindStringSubmatchIndex(mask)
		if m == nil || strings.HasPrefix(mask[m[1]:], ".") || strings.HasPrefix(mask[m[1]:], "?") {
			return source
		}
		colon, ok := valueEnd(mask, m[1])
		if !ok || mask[colon] != ':' {
			return source
		}
		end, ok := valueEnd(mask, colon+1)
		if !ok {
			return source
		}
		value := source[m[1]:colon]
		if (m[3]-m[2])%2 == 1 {
			value = source[colon+1 : end]
		}
		source = source[:m[0]] + " " + strings.TrimSpace(value) + source[end:]
	}
	return source
}

// valueEnd returns where the value that starts at start ends: before a comma, a colon,
// a semicolon or a bracket that closes what is around it.
func valueEnd(mask string, start int) (int, bool) {
	depth, choices := 0, 0
	for i := start; i < len(mask); i++ {
		switch c := mask[i]; {
		case strings.IndexByte("{[(", c) >= 0:
			depth++
		case strings.IndexByte("}])", c) >= 0 && depth > 0:
			depth--
		case strings.IndexByte("}]),;", c) >= 0 && depth == 0:
			return i, true
		case c == '?' && depth == 0 && !strings.HasPrefix(mask[i:], "?.") && !strings.HasPrefix(mask[i:], "??") && mask[i-1] != '?':
			choices++
		case c == ':' && depth == 0:
			if choices == 0 {
				return i, true
			}
			choices--
		}
	}
	return 0, false
}
