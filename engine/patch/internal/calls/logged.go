package calls

import (
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
	"github.com/breadcrumb/action/internal/lazyregexp"
)

// logs match the calls that write to a log, end a test with a message or make an error of
// one, as receiver and folded name.
var logs = lazyregexp.New(`^(?:console|log|logger|logging|slog|out|err|fmt|debug|trace|testcontext|t|b|s|pytest)\.(?:log|logf|debug|info|warn|warning|error|errorf|exception|trace|print|printf|println|write|writeline|fatal|fatalf|skip|skipf|fail)$` +
	`|^(?:log|[a-z]*logger)(?:s|utils?|utility|helper|manager)?\.(?:log|debug|info|information|pass|warn|warning|error|trace|fatal|fail|skip|step)$` +
	`|^(?:reporter|extenttest)\.(?:log|info|pass|warning|fail|skip)$` +
	`|^[a-z]*\.(?:log(?:message|step|info|information|debug|warn|warning|error|pass|fail)|(?:save|write)(?:text)?log)$` +
	`|^[a-z]*(?:output|outputhelper|console|context)\.writeline$|^[a-z]*log(?:ger)?\.log(?:trace|debug|information|warning|error|critical)$` +
	`|^\.(?:print|println|panic|fail|error|assertionerror|runtimeerror|valueerror|timeouterror|exception|runtimeexception|illegalstateexception|invalidoperationexception)$|^errors\.new$|^(?:test|allure)\.step$`)

// IsLogged reports whether the bracket at open, or the text with holes there, is an
// argument of a call that writes to a log.
func IsLogged(s *source.File, open int) bool {
	for s.Kind(open) == scan.Chunk {
		open = s.Parent[open]
	}
	c, receiver := s.Callee(open), ""
	if c < 0 {
		return false
	}
	if s.IsMember(c) {
		receiver = locator.Fold(s.Text(s.ReceiverEnd(c)))
	}
	name := locator.Fold(s.Text(c))
	isThrown := s.Text(s.Leftmost(c)-1) == "new" && (strings.HasSuffix(name, "exception") || strings.HasSuffix(name, "error"))
	return isThrown || logs.MatchString(receiver+"."+name)
}
