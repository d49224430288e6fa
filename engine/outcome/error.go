package outcome

import (
	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/text"
)

// ErrorLines returns the lines of a failing test's deciding attempt that say what
// went wrong, cleaned; none when the report gives no error text.
func ErrorLines(r engine.TestResult) []string {
	a := r.Final()
	return text.UsefulLines(text.Failure{
		Name: r.Name, OtherNames: []string{r.ID, r.Class, r.Suite, r.Class + "." + r.Name},
		ErrorType: a.ErrorType, Message: a.Message, Body: a.Text,
	})
}
