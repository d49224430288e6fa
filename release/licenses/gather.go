package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// module is a module that is linked into a binary, with the files that say what its
// licence asks for.
type module struct {
	path, version string
	files         []licenceFile
	licences      []string // SPDX, set by check
}

// licenceFile is one of them.
type licenceFile struct {
	name string // in the module
	text string
}

// std is the name that CycloneDX documents of Go programs give the standard library.
const std = "std"

// gather returns the modules of the command on any of the platforms, sorted by path, and
// first of all Go, whose library and runtime are in every program.
func gather(platforms []string) ([]module, error) {
	goroot, err := goEnv("GOROOT", "GOVERSION")
	if err != nil {
		return nil, err
	}
	all := []module{{path: std, version: goroot[1]}}
	if all[0].files, err = filesOf(goroot[0], "."); err != nil {
		return nil, err
	}
	known := map[string]*module{}
	for _, platform := range platforms {
		packages, err := listLinked(platform)
		if err != nil {
			return nil, err
		}
		for _, p := range packages {
			if p.Module == nil || p.Module.Main {
				continue
			}
			m := known[p.Module.Path]
			if m == nil {
				m = &module{path: p.Module.Path, version: p.Module.Version}
				known[m.path] = m
			}
			// A folder may have a licence of its own, down to the package.
			for dir := p.Dir; ; dir = filepath.Dir(dir) {
				if err := m.add(p.Module.Dir, dir); err != nil {
					return nil, err
				}
				if dir == p.Module.Dir || dir == filepath.Dir(dir) {
					break
				}
			}
		}
	}
	for _, m := range known {
		slices.SortFunc(m.files, func(a, b licenceFile) int {
			return strings.Compare(filepath.Dir(a.name)+"\x00"+a.name, filepath.Dir(b.name)+"\x00"+b.name)
		})
		all = append(all, *m)
	}
	slices.SortFunc(all[1:], func(a, b module) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

func goEnv(names ...string) ([]string, error) {
	out, err := exec.CommandContext(context.Background(), "go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	values := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	if len(values) != len(names) {
		return nil, fmt.Errorf("go env tells %q of %v", values, names)
	}
	return values, nil
}

// linked is what go list says of a package.
type linked struct {
	Dir    string
	Module *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// listLinked returns the packages of the command on a platform.
func listLinked(platform string) ([]linked, error) {
	goos, goarch, _ := strings.Cut(platform, "/")
	cmd := exec.CommandContext(context.Background(), "go", "list", "-deps", "-json=Dir,Module", ".")
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0", "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	var packages []linked
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p linked
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages = append(packages, p)
	}
}

// add adds the licence files of a folder of the module, once.
func (m *module) add(top, dir string) error {
	below, err := filepath.Rel(top, dir)
	if err != nil || !filepath.IsLocal(below) {
		return fmt.Errorf("%s is not below %s", dir, top)
	}
	files, err := filesOf(dir, filepath.ToSlash(below))
	if err != nil {
		return err
	}
	for _, f := range files {
		if !slices.Contains(m.files, f) {
			m.files = append(m.files, f)
		}
	}
	return nil
}

// licenceName matches the files that a distributor of a program passes on.
var licenceName = regexp.MustCompile(`(?i)^(un)?(licen[sc]e|copying|copyright|notice|patents)([._-].*)?$`)

// filesOf returns the licence files of a folder, whose name in the module is below.
func filesOf(dir, below string) ([]licenceFile, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []licenceFile
	for _, entry := range entries {
		if !entry.Type().IsRegular() || !licenceName.MatchString(entry.Name()) || filepath.Ext(entry.Name()) == ".go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, licenceFile{strings.TrimPrefix(below+"/", "./") + entry.Name(), string(text)})
	}
	return files, nil
}
