package junit

import (
	"net/url"
	"path"
	"regexp"
	"strings"
)

// absolute reports whether a slashed path names a place on a machine.
func absolute(p string) bool {
	return strings.HasPrefix(p, "/") || len(p) > 2 && p[1] == ':' && p[2] == '/'
}

// runnerCheckout matches where hosted runners check a repository out. A report
// written on the host names these even where the action runs in a container.
var runnerCheckout = regexp.MustCompile(`^(?:/home/runner/work/([^/]+)/([^/]+)|/Users/runner/work/([^/]+)/([^/]+)|/__w/([^/]+)/([^/]+)|[A-Za-z]:/a/([^/]+)/([^/]+)|/github/workspace)/`)

// Relative returns a path that a test run named slash-separated and relative to
// the checkout at root, an absolute one itself, or "" when it is outside. Paths
// in a hosted runner's checkout count as inside.
func Relative(p, root string) string { return relative(p, root) }

// relative returns p slash-separated and relative to the checkout at root, or
// "" when it is outside. A relative path is taken as relative to the checkout.
func relative(p, root string) string {
	p = strings.ReplaceAll(strings.TrimSpace(p), `\`, "/")
	if u, found := strings.CutPrefix(p, "file://"); found {
		if plain, err := url.PathUnescape(u); err == nil {
			u = plain
		}
		p = u
	}
	if p == "" || strings.ContainsAny(p, "\x00\n\r") || strings.Contains(p, "://") {
		return ""
	}
	if absolute(p) {
		p = insideRoot(p, root)
	}
	if p = path.Clean(p); p == "." || p == ".." || strings.HasPrefix(p, "../") || absolute(p) {
		return ""
	}
	return p
}

// insideRoot returns the part of an absolute path below root or below a hosted
// runner's checkout; ".." stands for outside.
func insideRoot(p, root string) string {
	p = path.Clean(p)
	root = strings.TrimSuffix(strings.ReplaceAll(root, `\`, "/"), "/")
	if root != "" && len(p) > len(root) && p[len(root)] == '/' && (p[:len(root)] == root || p[1] == ':' && strings.EqualFold(p[:len(root)], root)) {
		return p[len(root)+1:]
	}
	if m := runnerCheckout.FindStringSubmatch(p); m != nil && sameRepository(m[1:]) {
		return p[len(m[0]):]
	}
	return ".."
}

// sameRepository reports whether the two directories of a runner's checkout
// agree: work/NAME/NAME.
func sameRepository(groups []string) bool {
	for i := 0; i+1 < len(groups); i += 2 {
		if groups[i] != groups[i+1] {
			return false
		}
	}
	return true
}
