package locator

import (
	"fmt"
	"strings"
)

var dialects = map[Language]*dialect{
	TypeScript: typeScriptDialect, JavaScript: typeScriptDialect,
	Python: {
		quote: quoter(quotePython), name: snakeCase, role: quoter(quotePython), first: "first", last: "last",
		frame: "content_frame", joint: "_", regexp: pythonRegexp,
		options: func(_, _ string, opts []option) string {
			return listed(opts, "", "%s=%s", "", func(o option) option {
				if o.kind == isBool {
					o.text = titleCase(o.text)
				}
				return option{snakeCase(o.name), o.text, o.kind}
			})
		},
	},
	Java: {
		quote: quoter(quoteJava), name: asWritten, first: "first()", last: "last()",
		frame: "contentFrame()", regexp: javaRegexp,
		role: func(role string) string { return "AriaRole." + strings.ToUpper(role) },
		options: func(class, method string, opts []option) string {
			if len(opts) == 0 {
				return ""
			}
			out := "new " + class + "." + titleCase(method) + "Options()"
			for _, o := range opts {
				out += ".set" + titleCase(o.name) + "(" + o.text + ")"
			}
			return out
		},
	},
	CSharp: {
		quote: quoter(quoteCSharp), name: titleCase, first: "First", last: "Last",
		frame: "ContentFrame", regexp: sharpRegexp,
		role: func(role string) string { return "AriaRole." + titleCase(role) },
		options: func(_, _ string, opts []option) string {
			return listed(opts, "new() { ", "%s = %s", " }", func(o option) option {
				if o.kind == isPattern {
					o.name += "Regex"
				}
				return titled(o)
			})
		},
	},
	Go: {
		quote: quoter(quoteGo), name: titleCase, role: quoter(quoteGo), first: "First()", last: "Last()",
		frame: "ContentFrame()", regexp: goRegexp,
		options: func(class, method string, opts []option) string {
			return listed(opts, "playwright."+class+titleCase(method)+"Options{", "%s: %s", "}", func(o option) option {
				switch o.kind {
				case isBool:
					o.text = "playwright.Bool(" + o.text + ")"
				case isNumber:
					o.text = "playwright.Int(" + o.text + ")"
				}
				return titled(o)
			})
		},
	},
}

var typeScriptDialect = &dialect{
	quote: quoter(quoteTypeScript), name: asWritten, role: quoter(quoteTypeScript), first: "first()", last: "last()",
	frame: "contentFrame()",
	regexp: func(source string, ignoreCase bool) string {
		return "/" + shownPattern(source) + "/" + when(ignoreCase, "i")
	},
	options: func(_, _ string, opts []option) string {
		return listed(opts, "{ ", "%s: %s", " }", func(o option) option { return o })
	},
}

func asWritten(name string) string { return name }

func titled(o option) option { return option{titleCase(o.name), o.text, o.kind} }

// listed spells options as one bracketed list, "" for none.
func listed(opts []option, open, format, end string, spell func(option) option) string {
	if len(opts) == 0 {
		return ""
	}
	out := make([]string, len(opts))
	for i, o := range opts {
		o = spell(o)
		out[i] = fmt.Sprintf(format, o.name, o.text)
	}
	return open + strings.Join(out, ", ") + end
}

// shownPattern escapes what must not stand in source as itself.
func shownPattern(source string) string {
	var b strings.Builder
	for _, r := range source {
		if hidden(r) {
			b.WriteString(escapeUTF16(r))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func when(on bool, text string) string {
	if on {
		return text
	}
	return ""
}

// unslashed takes away the escapes that only JavaScript's notation needs.
func unslashed(source string) string { return strings.ReplaceAll(source, `\/`, "/") }

func pythonRegexp(source string, ignoreCase bool) string {
	literal := quoter(quotePython)(unslashed(source))
	if raw := shownPattern(unslashed(source)); raw == unslashed(source) && !strings.ContainsAny(raw, "\"\n\r") && !strings.HasSuffix(raw, `\`) {
		literal = `r"` + raw + `"`
	}
	return "re.compile(" + literal + when(ignoreCase, ", re.IGNORECASE") + ")"
}

func javaRegexp(source string, ignoreCase bool) string {
	return "Pattern.compile(" + quoter(quoteJava)(unslashed(source)) + when(ignoreCase, ", Pattern.CASE_INSENSITIVE") + ")"
}

func sharpRegexp(source string, ignoreCase bool) string {
	return "new Regex(" + quoter(quoteCSharp)(unslashed(source)) + when(ignoreCase, ", RegexOptions.IgnoreCase") + ")"
}

func goRegexp(source string, ignoreCase bool) string {
	return "regexp.MustCompile(" + quoter(quoteGo)(when(ignoreCase, "(?i)")+unslashed(source)) + ")"
}
