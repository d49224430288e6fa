package flaky

import (
	"slices"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// troubles are the errors of the environment and what they are called. They match
// signatures: numbers, hosts and addresses are taken out.
var troubles = []struct {
	name    string
	pattern *lazyregexp.Regexp
}{
	{"the browser did not start", lazyregexp.New(`(?i)browser_?type\.\w*launch|(?:failed to|could not) launch (?:the )?(?:browser|chrom|firefox|webkit)|executable doesn't exist|SessionNotCreated|session not created:|DevToolsActivePort|cannot find (?:chrome|firefox) binary`)},
	{"connection refused", lazyregexp.New(`(?i)ECONNREFUSED|CONNECTION_REFUSED|connection refused|could not connect to server`)},
	{"no connection", lazyregexp.New(`(?i)ENOTFOUND|EAI_AGAIN|ERR_NAME_NOT_RESOLVED|ERR_INTERNET_DISCONNECTED|ERR_ADDRESS_UNREACHABLE|ERR_NAME_RESOLUTION_FAILED|ERR_NETWORK_CHANGED|ERR_CONNECTION_TIMED_OUT|ERR_(?:PROXY|TUNNEL)_CONNECTION_FAILED|NS_ERROR_(?:UNKNOWN_HOST|OFFLINE)|ENETUNREACH|EHOSTUNREACH|no such host|could not resolve host|failure in name resolution|name or service not known|UnknownHostException`)},
	{"the server is not available", lazyregexp.New(`(?i)\b(?:bad gateway|service (?:temporarily )?unavailable|gateway time-?out)\b`)},
	{"disk full", lazyregexp.New(`(?i)ENOSPC|ERR_FILE_NO_SPACE|no space left on device|not enough space on the disk|disk quota exceeded`)},
	{"out of memory", lazyregexp.New(`(?i)ENOMEM|ERR_OUT_OF_MEMORY|ERR_INSUFFICIENT_RESOURCES|OutOfMemoryError|cannot allocate memory|heap out of memory`)},
}

// assertion matches what a test says of the page, whatever words stand there.
var assertion = lazyregexp.New(`(?i)^(?:error: *)?(?:expect\(|\w*assert)`)

// Trouble names what an error says of the environment that the test ran in, such as
// "connection refused", "" for an error that may be the test's own.
func Trouble(signature string) string {
	message := errorOf(signature)
	if assertion.MatchString(message) {
		return ""
	}
	for _, t := range troubles {
		if t.pattern.MatchString(message) {
			return t.name
		}
	}
	return ""
}

// withoutTrouble returns the signatures that may be the test's own, as trouble says, which
// is Trouble or remembers what that said.
func withoutTrouble(signatures []string, trouble func(string) string) []string {
	isTrouble := func(s string) bool { return trouble(s) != "" }
	if !slices.ContainsFunc(signatures, isTrouble) {
		return signatures
	}
	return slices.DeleteFunc(slices.Clone(signatures), isTrouble)
}

// isTrouble reports whether the observation shows nothing of the test, because all its
// errors are the environment's, as trouble says.
func (o Observation) isTrouble(trouble func(string) string) bool {
	return len(o.Signatures) > 0 && o.firstFailed() && len(withoutTrouble(o.Signatures, trouble)) == 0
}
