package outcome

import (
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
)

// maxOtherTest is how many characters of the name of another test are shown.
const maxOtherTest = 160

// DescribeOrder says of a failing test which other one it was shown to fail after.
func DescribeOrder(after engine.TestID) string {
	return `fails after "` + text.Shorten(text.Line(string(after)), maxOtherTest) + `" in the same worker and passes alone`
}
