package scan

import "strings"

// textBlock returns what a Java text block says
// (https://docs.oracle.com/javase/specs/jls/se21/html/jls-3.html#jls-3.10.6):
// the lines behind the first, without the indentation they share with the
// closing quotes and without the spaces they end in.
func textBlock(body string) (string, bool) {
	first, rest, ok := strings.Cut(unixLines(body), "\n")
	if !ok || strings.Trim(first, " \t\f") != "" {
		return "", false
	}
	lines := strings.Split(rest, "\n")
	shared := -1
	for i, line := range lines {
		indent := len(line) - len(strings.TrimLeft(line, " \t\f"))
		if indent < len(line) || i == len(lines)-1 {
			if shared < 0 || indent < shared {
				shared = indent
			}
		}
	}
	for i, line := range lines {
		lines[i] = strings.TrimRight(line[min(shared, len(line)):], " \t\f")
	}
	return strings.Join(lines, "\n"), true
}

// rawLines returns what a C# raw string of several lines says
// (https://learn.microsoft.com/dotnet/csharp/language-reference/tokens/raw-string):
// the lines between the quotes, without the white space before the last ones.
func rawLines(body string) (string, bool) {
	lines := strings.Split(unixLines(body), "\n")
	last := len(lines) - 1
	indent := lines[last]
	if last < 2 || strings.Trim(lines[0]+indent, " \t") != "" {
		return "", false
	}
	for i, line := range lines[1:last] {
		rest, ok := strings.CutPrefix(line, indent)
		if !ok && strings.Trim(line, " \t") != "" {
			return "", false
		}
		lines[i+1] = rest
	}
	return strings.Join(lines[1:last], "\n"), true
}
