package patch

import (
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/engine/patch/internal/values"
)

// isWithin reports whether a use only puts the selector beside others in the CSS of a locator
// call, page.locator(LIST + " option"): a new one fits there as well as the old one, and what
// is looked for by it is no other value of the constant.
func (c change) isWithin(u values.Use) bool {
	if c.filled || c.composed || !isOneSelector(c.old) || !isOneSelector(c.new) {
		return false
	}
	made, ok := source.Around(u.In, u.First, u.Last)
	if !ok {
		return false
	}
	argument, why := calls.ArgumentAt(u.In, made.First, made.Last, "")
	if why != calls.NoObstacle || argument.Kind != locator.KindCSS {
		return false
	}
	texts := made.Template()
	for k, field := range made.Fields(u.In) {
		if !sameCode(u.In, field, source.Field{First: u.First, Last: u.Last}) {
			continue
		}
		if before := texts[k]; k > 0 && before == "" || before != "" && !strings.ContainsAny(before[len(before)-1:], " ,>+~") {
			return false
		}
		if after := texts[k+1]; k+2 < len(texts) && after == "" || after != "" && !strings.ContainsAny(after[:1], " ,>+~:.[") {
			return false
		}
	}
	return true
}

// isOneSelector reports whether a part is CSS without alternatives.
func isOneSelector(p locator.Part) bool {
	return p.Kind == locator.KindCSS && !strings.Contains(p.Value, ",")
}
