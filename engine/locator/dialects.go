package locator

import (
	"fmt"
	"strings"
)

// dialectOf returns the dialect of a language, TypeScript's for an unknown one.
func dialectOf(lang Language) *dialect {
	if d := dialects[lang]; d != nil {
		return d
	}
	return typeScriptDialect
}

var dialects = map[Language]*dialect{
	TypeScript: typeScriptDialect, JavaScript: typeScriptDialect,
	Python: {
		quote: quoteOther.writeLiteral, name: snakeCase, role: quoteOther.writeLiteral, first: "first", last: "last",
		frame: "content_frame", combinatorSuffix: "_", regexp: pythonRegexp, regexpFlags: "ims",
		options: func(_, _ string, opts []option) string {
			return optionList(opts, "", "%s=%s", "", func(o option) option {
				if o.kind == isBool {
					o.text = titleCase(o.text)
				}
				return option{snakeCase(o.name), o.text, o.kind}
			})
		},
	},
	Java: {
		quote: quoteJava.writeLiteral, name: asWritten, first: "first()", last: "last()",
		frame: "contentFrame()",
		regexp: func(source, flags string) string {
			return "Pattern.compile(" + quoteJava.writeLiteral(source) +
				flagNames(flags, ", ", " | ", map[rune]string{'i': "Pattern.CASE_INSENSITIVE", 'm': "Pattern.MULTILINE", 's': "Pattern.DOTALL"}) + ")"
		},
		regexpFlags: "ims",
		role:        func(role string) string { return "AriaRole." + strings.ToUpper(role) },
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
		quote: quoteOther.writeLiteral, name: titleCase, first: "First", last: "Last",
		frame: "ContentFrame",
		regexp: func(source, flags string) string {
			return "new Regex(" + quoteOther.writeLiteral(source) +
				flagNames(flags, ", ", " | ", map[rune]string{'i': "RegexOptions.IgnoreCase", 'm': "RegexOptions.Multiline"}) + ")"
		},
		regexpFlags: "im",
		role:        func(role string) string { return "AriaRole." + titleCase(role) },
		options: func(_, _ string, opts []option) string {
			return optionList(opts, "new() { ", "%s = %s", " }", func(o option) option {
				if o.kind == isPattern {
					o.name += "Regex"
				}
				return titleCased(o)
			})
		},
	},
	Go: {
		quote: quoteOther.writeLiteral, name: titleCase, role: quoteOther.writeLiteral, first: "First()", last: "Last()",
		frame: "ContentFrame()",
		regexp: func(source, flags string) string {
			inline := flagNames(flags, "(?", "", map[rune]string{'i': "i", 'm': "m", 's': "s"})
			return "regexp.MustCompile(" + quoteOther.writeLiteral(textIf(inline != "", inline+")")+source) + ")"
		},
		regexpFlags: "ims",
		options:     goOptions("playwright"),
	},
}

var typeScriptDialect = &dialect{
	quote: quoteTypeScript.writeLiteral, name: asWritten, role: quoteTypeScript.writeLiteral, first: "first()", last: "last()",
	frame:       "contentFrame()",
	regexp:      func(source, flags string) string { return "/" + escapeHidden(escapeSlashes(source)) + "/" + flags },
	regexpFlags: "imsuvy",
	options: func(_, _ string, opts []option) string {
		return optionList(opts, "{ ", "%s: %s", " }", func(o option) option { return o })
	},
}

// goOptions returns how Go writes options, with Playwright imported under a name.
func goOptions(name string) func(class, method string, opts []option) string {
	return func(class, method string, opts []option) string {
		return optionList(opts, name+"."+class+titleCase(method)+"Options{", "%s: %s", "}", func(o option) option {
			switch o.kind {
			case isBool:
				o.text = name + ".Bool(" + o.text + ")"
			case isInteger:
				o.text = name + ".Int(" + o.text + ")"
			}
			return titleCased(o)
		})
	}
}

func asWritten(name string) string { return name }

func titleCased(o option) option { return option{titleCase(o.name), o.text, o.kind} }

// optionList writes options as one list in brackets, "" for none.
func optionList(opts []option, open, format, end string, spell func(option) option) string {
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

// escapeHidden escapes the invisible characters of a regular expression.
func escapeHidden(source string) string {
	var b strings.Builder
	for _, r := range source {
		if isHidden(r) {
			b.WriteString(escapeUTF16(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func textIf(on bool, text string) string {
	if on {
		return text
	}
	return ""
}

func pythonRegexp(source, flags string) string {
	literal := quoteOther.writeLiteral(source)
	if escapeHidden(source) == source && !strings.ContainsAny(source, "\"\n\r") && !strings.HasSuffix(source, `\`) {
		literal = `r"` + source + `"`
	}
	return "re.compile(" + literal + flagNames(flags, ", ", " | ", map[rune]string{'i': "re.IGNORECASE", 'm': "re.MULTILINE", 's': "re.DOTALL"}) + ")"
}
