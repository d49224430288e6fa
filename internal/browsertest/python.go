package browsertest

import "os/exec"

// Python returns a Python that has pytest and its workers, "" for none. Debian has them in
// python3-pytest-xdist.
func Python() string {
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import pytest, xdist").Run() == nil { //nolint:gosec,noctx // one of these two
			return name
		}
	}
	return ""
}
