package testcode

import (
	"strings"

	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// Place is the code around a line of Go, Java or C#.
type Place struct {
	Package  string // of Java, the namespace of C#, "" for Go
	Class    string // with the classes around it, "" for Go
	Function string // or method; "" outside of any
	Test     bool   // Function is a test
}

// At returns the code around a line.
func At(s *source.File, line int) Place {
	switch s.Dialect.Scan {
	case scan.Go:
		return goFunctionAt(s, line)
	case scan.Java, scan.CSharp:
		return methodAt(s, line)
	}
	return Place{}
}

func goFunctionAt(s *source.File, line int) Place {
	for _, i := range s.Idents["func"] {
		name, body := goFunction(s, i)
		if name != "" && s.HasLine(s.SpanOf(i, s.End(body)), line) {
			return Place{Function: name, Test: strings.HasPrefix(name, "Test") && s.Text(i+1) == name}
		}
	}
	return Place{}
}

func methodAt(s *source.File, line int) Place {
	p := Place{Package: packageOf(s), Class: classAt(s, line)}
	for open := range s.Tokens {
		if s.Text(open) != "(" || !declaresMethod(s, open-1) {
			continue
		}
		if body, ok := methodBody(s, open); ok && s.HasLine(body, line) {
			p.Function, p.Test = s.Text(open-1), isAnnotatedTest(s, open-1)
			if p.Test { // what is declared within is the test's
				return p
			}
		}
	}
	return p
}

// packageOf returns the package or namespace that a file declares first.
func packageOf(s *source.File) string {
	for _, word := range []string{"package", "namespace"} {
		for _, i := range s.Idents[word] {
			end := i + 1
			for end < len(s.Tokens) && s.Text(end) != ";" && s.Text(end) != "{" && s.LineOf(end) == s.LineOf(i) {
				end++
			}
			if end > i+1 {
				at := s.SpanOf(i+1, end-1)
				return string(s.Bytes[at.Start:at.End])
			}
		}
	}
	return ""
}

// classAt returns the classes around a line, the outermost first, joined as the JVM does.
func classAt(s *source.File, line int) string {
	var names []string
	for i := range s.Tokens {
		word := s.Text(i)
		if word != "class" && word != "record" || s.Kind(i+1) != scan.Ident || s.IsMember(i) {
			continue
		}
		for open := i + 2; open < len(s.Tokens) && s.Text(open) != ";" && s.Text(open) != "}"; open = s.Next(open) {
			if s.Text(open) != "{" {
				continue
			}
			if s.HasLine(s.SpanOf(i, s.End(open)), line) {
				names = append(names, s.Text(i+1))
			}
			break
		}
	}
	return strings.Join(names, "$")
}
