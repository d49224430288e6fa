package scan

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScanFindsWhatTheLiteralsSay(t *testing.T) {
	cases := []struct {
		name string
		lang Language
		src  string
		want []string
	}{
		{"script quotes", TypeScript, `f('a\'b', "c\"d", '\x41\u0042\u{43}', '\ud83d\ude00')`, []string{"a'b", `c"d`, "ABC", "😀"}},
		{"script line continuation", TypeScript, "f('a\\\nb')", []string{"ab"}},
		{"script comments", TypeScript, "// 'no'\n/* 'no' */ f('yes')", []string{"yes"}},
		{"script regex", TypeScript, `x = /['"]/g; y = a / 'b' / c; if (x) /'/.test('d')`, []string{"b", "d"}},
		{"script regex after a block", TypeScript, "if (a) { b() }\n/'/.test('c')", []string{"c"}},
		{"script division after an object", TypeScript, `x = { a: 1 } / 2 + 'b' / 3`, []string{"b"}},
		{"script regex class", TypeScript, `x = /[/']/; f('a')`, []string{"a"}},
		{"script postfix", TypeScript, `i++ / 'a' / 2; x! / 'b'`, []string{"a", "b"}},
		{"script template", TypeScript, "f(`a`, `b${c('d')}e${`f${'g'}`}`, `\\``)", []string{"a", "d", "g", "`"}},
		{"script hashbang", TypeScript, "#!/usr/bin/env it's\nf('a')", []string{"a"}},
		{"markup", TSX, `x = <p title="it's" on={() => f('a')}>It's {'b'} <b/> don't</p>; f('c')`, []string{"a", "b", "c"}},
		{"markup fragment", TSX, `x = cond ? <>it's</> : <A.B c="d"/>; f('e')`, []string{"e"}},
		{"generics are no markup", TSX, `const f = <T,>(x: T) => g<string>('a'); const h = <T extends U>(x) => 'b'; a < b('c')`, []string{"a", "b", "c"}},
		{"no markup in plain TypeScript", TypeScript, `const x = <string>f('a');`, []string{"a"}},
		{"python", Python, `f('a\'b', r'\d', "\x41", u'b') # 'no'`, []string{"a'b", `\d`, "A", "b"}},
		{"python triple", Python, "f('''a'b''', r\"\"\"c\"d\"\"\")", []string{"a'b", `c"d`}},
		{"python f-string", Python, `f(f"a{b['c']}d", f'{{x}}', f"{x!r:>{w}}", f"{a != 'e'}")`, []string{"c", "{x}", "e"}},
		{"python nested quotes", Python, `f(f"a{b["c"]}d", 'e')`, []string{"c", "e"}},
		{"python keeps unknown escapes", Python, `f('\d\q')`, []string{`\d\q`}},
		{"java", Java, `f("a\"b", '"', 'x', "\u00e9") // "no"`, []string{`a"b`, "é"}},
		{"java text block", Java, "f(\"\"\"\n  a \"b\" \\\"\"\" c\n  \"\"\", \"d\")", []string{"a \"b\" \"\"\" c\n", "d"}},
		{"java text block of one line", Java, "f(\"\"\"\r\n    #a > b  \r\n    c\"\"\")", []string{"#a > b\nc"}},
		{"java text block, indented by its closing quotes", Java, "f(\"\"\"\n    #a\n  \"\"\")", []string{"  #a\n"}},
		{"c# raw lines", CSharp, "f(\"\"\"\r\n    #a\r\n      b\r\n    \"\"\", $\"\"\"\n  {x}\n  \"\"\", \"\"\"\n #a\n  \"\"\")", []string{"#a\n  b", "?"}},
		{"c#", CSharp, `f("a\"b", @"c""d\", '"', $"e{g("h")}", $"i", """j"k""") // "no"`, []string{`a"b`, `c"d\`, "h", "i", `j"k`}},
		{"c# format", CSharp, `f($"{x:00}", $@"{y,5:N2}", "a")`, []string{"a"}},
		{"c# region", CSharp, "#region It's \"open\nf(\"a\")\n  #endregion\"", []string{"a"}},
		{"c# raw interpolated", CSharp, `f($$"""{a} {{b("c")}} "d" """, "e")`, []string{"c", "e"}},
		{"go", Go, "f(\"a\\\"b\", `c\"d\r\n`, '\"', '\\'') // \"no\"", []string{`a"b`, "c\"d\n"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tokens, err := Scan(c.lang, []byte(c.src))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, tok := range tokens {
				switch {
				case tok.Kind != String:
				case tok.Lit.Decoded:
					got = append(got, tok.Lit.Value)
				default:
					got = append(got, "?")
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestScanRefusesWhatDoesNotEnd(t *testing.T) {
	cases := map[string]struct {
		lang Language
		src  string
	}{
		"script string": {TypeScript, "f('a\n')"}, "template": {TypeScript, "`a"}, "field": {TypeScript, "`a${b"},
		"comment": {Java, "/* a"}, "bracket": {Go, "f(a"}, "other bracket": {Go, "f(a]"}, "extra bracket": {Go, "a)"},
		"tag": {TSX, "x = <a>b"}, "attribute": {TSX, "x = <a b='c"}, "python string": {Python, "'a"},
		"python triple": {Python, "'''a''"}, "python field": {Python, `f"{a"`}, "c# verbatim": {CSharp, `@"a""`},
		"c# raw": {CSharp, `"""a""`}, "c# field": {CSharp, `$"{a`}, "go raw": {Go, "`a"}, "text block": {Java, `"""a`}, "java's own quotes": {Java, `f("\u0022+g()+\uu0022")`},
		"depth": {TypeScript, strings.Repeat("`${", 5000)}, "tags": {TSX, "x=" + strings.Repeat("<a>", 5000)},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Scan(c.lang, []byte(c.src))
			var bad *Error
			if !errors.As(err, &bad) || bad.Reason == "" || bad.Offset < 0 || bad.Offset > len(c.src) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestEncodeSaysTheValueInTheSameNotation(t *testing.T) {
	values := []string{"a", `[x="y"]`, "it's", "`${z}`", `\`, `a\`, `"`, "{0}", "é😀", `\u0022`, "}}{{", `"""`, "$"}
	literals := map[Language][]string{
		TypeScript: {`'x'`, `"x"`, "`x`"},
		Python:     {`'x'`, `"x"`, `r'x'`, `f"x"`, `"""x"""`, `r'''x'''`, `u'x'`},
		Java:       {`"x"`},
		CSharp:     {`"x"`, `@"x"`, `$"x"`, `"""x"""`},
		Go:         {`"x"`, "`x`"},
	}
	for lang, forms := range literals {
		for _, form := range forms {
			src := []byte("f(" + form + ")")
			tokens, err := Scan(lang, src)
			if err != nil {
				t.Fatal(err)
			}
			for _, value := range values {
				text, ok := Encode(src, tokens[2], value)
				if !ok {
					continue
				}
				again, err := Scan(lang, []byte("f("+text+")"))
				if err != nil || len(again) != 4 || again[2].Lit.Value != value || again[2].Lit.Form != tokens[2].Lit.Form {
					t.Errorf("%s for %q became %s: %v, %v", form, value, text, again, err)
				}
			}
		}
	}
}

func FuzzScan(f *testing.F) {
	files, _ := filepath.Glob("../../testdata/*/*")
	for _, file := range files {
		if filepath.Ext(file) == "" {
			continue // a folder
		}
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for lang := range uint8(6) {
			f.Add(lang, text)
		}
	}
	f.Fuzz(func(t *testing.T, lang uint8, src []byte) {
		tokens, _ := Scan(Language(lang%6), src)
		at := 0
		for _, tok := range tokens {
			if tok.Start < at || tok.End <= tok.Start || tok.End > len(src) {
				t.Fatalf("token %+v after byte %d of %d", tok, at, len(src))
			}
			at = tok.End
		}
	})
}

func BenchmarkScan(b *testing.B) {
	for lang, file := range map[Language]string{TypeScript: "ts/login.spec.ts", Python: "py/test_login.py", CSharp: "cs/LoginTests.cs"} {
		b.Run(filepath.Ext(file), func(b *testing.B) {
			src, err := os.ReadFile("../../testdata/" + file)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				if _, err := Scan(lang, src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
