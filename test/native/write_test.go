package native

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/golden"
)

// A new input or output of action.yml is written into native/action.yml by
// `make golden`.
func TestTheNativeEntryIsWrittenFromTheOther(t *testing.T) {
	golden.Check(t, "../../native/action.yml", written(t))
}

func written(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var document struct{ Inputs, Outputs yaml.Node }
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	frame, err := os.ReadFile("testdata/action.yml.frame")
	if err != nil {
		t.Fatal(err)
	}
	var inputs, outputs strings.Builder
	for i := 0; i < len(document.Inputs.Content); i += 2 {
		name := document.Inputs.Content[i].Value
		fmt.Fprintf(&inputs, "  %s:\n%s", name, fields(t, document.Inputs.Content[i+1]))
	}
	for i := 0; i < len(document.Outputs.Content); i += 2 {
		name := document.Outputs.Content[i].Value
		fmt.Fprintf(&outputs, "  %s:\n%s    value: ${{ steps.unix.outputs.%[1]s || steps.windows.outputs.%[1]s }}\n", name, fields(t, document.Outputs.Content[i+1]))
	}
	return strings.NewReplacer("@INPUTS@\n", inputs.String(), "@OUTPUTS@\n", outputs.String()).Replace(string(frame))
}

// fields writes what an input or output says of itself, as action.yml does.
func fields(t *testing.T, n *yaml.Node) string {
	t.Helper()
	text, err := yaml.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for line := range strings.Lines(string(text)) {
		out.WriteString("    " + line)
	}
	return out.String()
}
