// Command packages writes beside a release's binaries what package managers install
// them from: packages VERSION DIRECTORY. The same binaries give the same bytes.
//
//	breadcrumb-action-cli-1.2.3.tgz            for npm, and one for each platform
//	breadcrumb_action-1.2.3-py3-none-*.whl     for pip, one for each platform
//	breadcrumb.rb                              for Homebrew
package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
)

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(2)
	}
}

// release is what packages are made of.
type release struct {
	version  string // without the v
	dir      string
	license  []byte // the project's
	licenses []byte // those of what is linked
	binaries []binary
}

// binary is the command for one platform.
type binary struct {
	platform

	text   []byte
	sha256 string // in hex
}

// platform names a platform as each of its users does.
type platform struct {
	asset   string    // the release's file
	program string    // how it is called where it is installed
	node    [2]string // process.platform and process.arch
	wheel   string    // the tags of Python's platforms
	brew    [2]string // Homebrew's blocks; empty where it does not run
}

// platforms are those of release/build. The binaries are static, so that Linux's run on
// every distribution, and macOS 12 is the oldest that their Go runs on
// (https://go.dev/wiki/MinimumRequirements).
var platforms = []platform{
	{"breadcrumb-linux-amd64", "breadcrumb", [2]string{"linux", "x64"}, "manylinux_2_17_x86_64.musllinux_1_1_x86_64", [2]string{"on_linux", "on_intel"}},
	{"breadcrumb-linux-arm64", "breadcrumb", [2]string{"linux", "arm64"}, "manylinux_2_17_aarch64.musllinux_1_1_aarch64", [2]string{"on_linux", "on_arm"}},
	{"breadcrumb-darwin-amd64", "breadcrumb", [2]string{"darwin", "x64"}, "macosx_12_0_x86_64", [2]string{"on_macos", "on_intel"}},
	{"breadcrumb-darwin-arm64", "breadcrumb", [2]string{"darwin", "arm64"}, "macosx_12_0_arm64", [2]string{"on_macos", "on_arm"}},
	{"breadcrumb-windows-amd64.exe", "breadcrumb.exe", [2]string{"win32", "x64"}, "win_amd64", [2]string{}},
	{"breadcrumb-windows-arm64.exe", "breadcrumb.exe", [2]string{"win32", "arm64"}, "win_arm64", [2]string{}},
}

var versionPattern = regexp.MustCompile(`^v((?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)(?:-rc\.[1-9][0-9]*)?)$`)

// write writes the packages of the binaries that the directory has.
func write(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: packages VERSION DIRECTORY")
	}
	version := versionPattern.FindStringSubmatch(args[0])
	if version == nil {
		return fmt.Errorf("'%s' is no version such as v1.2.3 or v1.2.3-rc.1", args[0])
	}
	r := release{version: version[1], dir: args[1]}
	if err := r.read(); err != nil {
		return err
	}
	for _, write := range []func() error{r.writeNPM, r.writeWheels, r.writeFormula} {
		if err := write(); err != nil {
			return fmt.Errorf("write packages: %w", err)
		}
	}
	return nil
}

// read reads the binaries and the licences; it runs in the project's top.
func (r *release) read() (err error) {
	if r.license, err = os.ReadFile("LICENSE"); err != nil {
		return fmt.Errorf("read the licence: %w", err)
	}
	if r.licenses, err = os.ReadFile(filepath.Join(r.dir, "LICENSES")); err != nil {
		return fmt.Errorf("read the licences, which release/build writes: %w", err)
	}
	for _, p := range platforms {
		text, err := os.ReadFile(filepath.Join(r.dir, p.asset))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read binaries: %w", err)
		}
		r.binaries = append(r.binaries, binary{p, text, fmt.Sprintf("%x", sha256.Sum256(text))})
	}
	if len(r.binaries) == 0 {
		return fmt.Errorf("there is no binary in %s: run release/build first", r.dir)
	}
	return nil
}

// save writes a file beside the binaries and says so.
func (r *release) save(name string, text []byte) error {
	if err := os.WriteFile(filepath.Join(r.dir, name), text, 0o644); err != nil {
		return err
	}
	fmt.Println("wrote", name)
	return nil
}
