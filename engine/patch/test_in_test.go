package patch

import (
	"strings"

	"github.com/breadcrumb/action/engine"
)

// testIn returns the id of the test that is called a in a file of any language.
func testIn(file string) engine.TestID {
	switch {
	case strings.HasSuffix(file, ".py"):
		return engine.TestID(file + "::test_a")
	case strings.HasSuffix(file, ".go"):
		return engine.TestID(file + " › TestA")
	}
	return engine.TestID(file + " › a")
}
