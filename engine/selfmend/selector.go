package selfmend

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

var (
	callPattern = lazyregexp.New(`(?s)^(locator|getBy[A-Za-z]+|filter|first|last|nth)\((.*)\)$`) // one step of a description
	integer     = lazyregexp.New(`^-?[0-9]+$`)
	word        = lazyregexp.New(`^[A-Za-z]+$`)
)

// splitSelector reads selfmend's description of a locator, which is without the
// quotes of texts: page.getByTestId(pay) becomes getByTestId and pay. A chain, or
// a call with options, becomes what the test says:
// page.getByRole("button", { name: "Pay" }). A description that can be read in
// more than one way is returned as it is.
func splitSelector(description string) (api, locator string) {
	body, ok := strings.CutPrefix(description, "page.")
	if !ok {
		return "", description
	}
	written := []string{"page"}
	steps := strings.Split(body, " >> ")
	for _, step := range steps {
		m := callPattern.FindStringSubmatch(step)
		if m == nil {
			return "", description
		}
		text, options, ok := splitArguments(m[2])
		if !ok {
			return "", description
		}
		if len(steps) == 1 && text != "" && options == "" && m[1] != "filter" && m[1] != "nth" {
			return m[1], text
		}
		arguments, ok := writeArguments(m[1], text, options)
		if !ok {
			return "", description
		}
		written = append(written, m[1]+"("+arguments+")")
	}
	return "", strings.Join(written, ".")
}

// splitArguments splits "Pay,{"exact":true}" into its text and its options.
// Tokens such as <object#0> stand for values that selfmend could not describe.
func splitArguments(arguments string) (text, options string, ok bool) {
	text = arguments
	if at := strings.LastIndex(","+arguments, `,{"`); at >= 0 {
		text, options = strings.TrimSuffix(arguments[:at], ","), arguments[at:]
	}
	described := !strings.HasPrefix(text, "<") && !strings.Contains(text, ",<") && !strings.HasPrefix(text, "{")
	return text, options, described
}

// writeArguments returns a call's arguments as TypeScript writes them.
func writeArguments(call, text, options string) (string, bool) {
	var arguments []string
	switch call {
	case "first", "last":
		return "", text == "" && options == ""
	case "nth":
		return text, options == "" && integer.MatchString(text)
	case "filter":
		if text != "" || options == "" {
			return "", false
		}
	default:
		if text == "" {
			return "", false
		}
		arguments = append(arguments, quoteText(text))
	}
	if options != "" {
		object, ok := writeOptions(options)
		if !ok {
			return "", false
		}
		arguments = append(arguments, object)
	}
	return strings.Join(arguments, ", "), true
}

// writeOptions returns a flat JSON object as a TypeScript literal, sorted.
func writeOptions(object string) (string, bool) {
	var fields map[string]any
	if json.Unmarshal([]byte(object), &fields) != nil || len(fields) == 0 {
		return "", false
	}
	var written []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		var value string
		switch field := fields[name].(type) {
		case string:
			value = quoteText(field)
		case bool, float64:
			value = fmt.Sprint(field)
		}
		if value == "" || !word.MatchString(name) {
			return "", false
		}
		written = append(written, name+": "+value)
	}
	return "{ " + strings.Join(written, ", ") + " }", true
}

// quoteText returns text in double quotes, as JSON and JavaScript escape it.
func quoteText(text string) string {
	quoted, _ := encodePlain(text, "") // a string always encodes
	return strings.TrimSuffix(string(quoted), "\n")
}
