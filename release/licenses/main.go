// Command licenses gathers the licences of what a release's binaries are linked from,
// the modules' and Go's, at the place where Go keeps their source: none of them is kept
// in this repository. What may not be linked into a program under Apache-2.0 is refused.
//
//	licenses gather DIRECTORY    writes LICENSES, and overlay.json with which
//	                             `go build -overlay` puts it into the command
//	licenses sbom FILE...        writes the licences into CycloneDX documents
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(2)
	}
}

// systems are the platforms of release/build.
var systems = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// run does what the arguments say, in the project's top.
func run(args []string) error {
	if len(args) < 2 || args[0] != "sbom" && (args[0] != "gather" || len(args) != 2) {
		return errors.New("usage: licenses gather DIRECTORY, or licenses sbom FILE…")
	}
	modules, err := gather(systems)
	if err != nil {
		return fmt.Errorf("gather licences: %w", err)
	}
	if err := check(modules); err != nil {
		return fmt.Errorf("check licences: %w", err)
	}
	if args[0] == "gather" {
		err = save(args[1], modules)
	} else {
		err = describe(args[1:], modules)
	}
	if err != nil {
		return fmt.Errorf("write licences: %w", err)
	}
	return nil
}

// embedded is the file of the command that LICENSES takes the place of.
const embedded = "internal/cli/licenses.txt"

func save(dir string, modules []module) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	file := filepath.Join(dir, "LICENSES")
	if err := os.WriteFile(file, []byte(formatTexts(modules)), 0o644); err != nil {
		return err
	}
	place, err := filepath.Abs(embedded)
	if err != nil {
		return err
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": {place: file}})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "overlay.json"), text, 0o644)
}
