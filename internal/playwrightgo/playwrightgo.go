// Package playwrightgo names the modules that drive browsers from Go: the maintained
// one, which this project uses, and the one that existing suites still use.
package playwrightgo

import (
	"fmt"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// A new version of a module is a change here, `go get` and `go generate ./...`.
const (
	// Module is the path of the maintained module. Its driver comes from the npm
	// registry and Node's own archive.
	Module = "github.com/mxschmitt/playwright-go"
	// Version is the version of Module that this project is built with.
	Version = "v0.6100.0"

	// Community is the path of the module that ended with CommunityVersion. The hosts
	// that its driver came from were shut off in July 2026
	// (https://github.com/mxschmitt/playwright-go/issues/593).
	Community        = "github.com/playwright-community/playwright-go"
	CommunityVersion = "v0.6000.0"
)

// Install is the command that installs the driver of Module and Chromium.
const Install = "go run " + Module + "/cmd/playwright@" + Version + " install --with-deps chromium"

// firstFromNPM is the first minor version of Module whose driver comes from the npm
// registry.
const firstFromNPM = 6100

var required = lazyregexp.New(`(?m)^\s*(?:require\s+)?(\Q` + Module + `\E|\Q` + Community + `\E)\s+(v[\w.+-]+)`)

// Required returns the module and version that a go.mod requires, "" for neither.
func Required(goMod string) (module, version string) {
	m := required.FindStringSubmatch(goMod)
	if m == nil {
		return "", ""
	}
	return m[1], m[2]
}

// DriverFault says why the driver of a module at a version cannot be installed any more,
// and what to do. It is "" where it can, or where the version is of no known form.
func DriverFault(module, version string) string {
	var minor int
	_, err := fmt.Sscanf(version, "v0.%d.", &minor)
	if module == "" || err != nil || module == Module && minor >= firstFromNPM {
		return ""
	}
	advice := fmt.Sprintf("run `go get %s@%s`", Module, Version)
	if module == Community {
		advice += ", import that instead, and breadcrumb's crumb/community becomes crumb"
	}
	return fmt.Sprintf("the hosts of the driver of %s %s were shut off in July 2026: %s", module, version, advice)
}
