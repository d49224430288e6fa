package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/breadcrumb/action/internal/golden"
)

// packed writes the packages of a version of binaries that are their own names, and returns the folder.
func packed(t *testing.T, version string) string {
	t.Helper()
	dir := t.TempDir()
	for _, p := range platforms {
		if err := os.WriteFile(filepath.Join(dir, p.asset), []byte(p.asset+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "LICENSES"), []byte("all of them\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir("../..")
	if err := write([]string{version, dir}); err != nil {
		t.Fatal(err)
	}
	t.Chdir("release/packages")
	return dir
}

// What each package holds, but the licence and the launcher, is in testdata.
func TestThePackagesOfARelease(t *testing.T) {
	dir := packed(t, "v1.2.3")
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range names {
		switch filepath.Ext(name) {
		case ".tgz":
			listTar(t, &all, name)
		case ".whl":
			listZip(t, &all, name)
		case ".rb":
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&all, "== %s\n%s", filepath.Base(name), text)
		}
	}
	golden.Check(t, "testdata/packages.txt", all.String())
}

// npm and Python write candidates in ways of their own.
func TestThePackagesOfACandidate(t *testing.T) {
	dir := packed(t, "v1.2.3-rc.4")
	for _, name := range []string{"breadcrumb-action-cli-1.2.3-rc.4.tgz", "breadcrumb_action-1.2.3rc4-py3-none-win_amd64.whl", "breadcrumb.rb"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestTheSameBinariesGiveTheSamePackages(t *testing.T) {
	first, second := packed(t, "v1.2.3"), packed(t, "v1.2.3")
	if out, err := exec.Command("diff", "-r", first, second).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestWhatIsNoReleaseHasNoPackages(t *testing.T) {
	for want, args := range map[string][]string{
		"usage:": {"v1.2.3"}, "is no version such as v1.2.3": {"v1.2.3-beta.1", "."}, "read the licences": {"v1.2.3", "."},
	} {
		t.Chdir("../..")
		if err := write(args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", args, err, want)
		}
		t.Chdir("release/packages")
	}
}

func list(all *strings.Builder, name string, mode os.FileMode, r io.Reader) error {
	text, err := io.ReadAll(r)
	fmt.Fprintf(all, "-- %s %v\n", name, mode)
	if base := filepath.Base(name); base != "LICENSE" && base != "launcher.js" {
		all.Write(text)
	}
	return err
}

func listTar(t *testing.T, all *strings.Builder, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(all, "==", filepath.Base(file))
	unzipped, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := list(all, h.Name, h.FileInfo().Mode(), r); err != nil {
			t.Fatal(err)
		}
	}
}

func listZip(t *testing.T, all *strings.Builder, file string) {
	t.Helper()
	fmt.Fprintln(all, "==", filepath.Base(file))
	archive, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = archive.Close() }()
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if err := list(all, f.Name, f.Mode(), r); err != nil {
			t.Fatal(err)
		}
	}
}
