package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"
)

// npmScope is the organisation whose packages these are. All names are below it, so that
// nobody else can own the package of a platform.
const npmScope = "@breadcrumb-action"

// launcher finds the binary of this platform and becomes it.
//
//go:embed launcher.js
var launcher []byte

// manifest is a package.json (https://docs.npmjs.com/cli/configuring-npm/package-json).
type manifest struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Description          string            `json:"description"`
	Homepage             string            `json:"homepage"`
	Repository           map[string]string `json:"repository"`
	License              string            `json:"license"`
	OS                   []string          `json:"os,omitempty"`
	CPU                  []string          `json:"cpu,omitempty"`
	Bin                  map[string]string `json:"bin,omitempty"`
	Engines              map[string]string `json:"engines,omitempty"`
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
	PreferUnplugged      bool              `json:"preferUnplugged"` // a program does not run from an archive
}

// writeNPM writes a package of each platform, which npm installs where os and cpu are the
// machine's, and the one that people name, of which those are optional dependencies.
func (r *release) writeNPM() error {
	type known struct {
		File   string `json:"file"`
		SHA256 string `json:"sha256"`
	}
	digests, optional := map[string]known{}, map[string]string{}
	for _, b := range r.binaries {
		platform := b.node[0] + "-" + b.node[1]
		m := r.manifest("cli-"+platform, "The breadcrumb command for "+platform+". Install "+npmScope+"/cli, which brings it.")
		m.OS, m.CPU = b.node[:1], b.node[1:]
		if err := r.saveNPM(m, file{b.program, 0o755, b.text}, file{"LICENSES", 0o644, r.licenses}); err != nil {
			return err
		}
		digests[platform] = known{m.Name + "/" + b.program, b.sha256}
		optional[m.Name] = r.version
	}
	m := r.manifest("cli", summary)
	m.Bin = map[string]string{"breadcrumb": "launcher.js"}
	m.Engines = map[string]string{"node": ">=18"}
	m.OptionalDependencies = optional
	text, err := encode(digests)
	if err != nil {
		return err
	}
	return r.saveNPM(m, file{"launcher.js", 0o755, launcher}, file{"digests.json", 0o644, text})
}

const (
	summary    = "Keeps browser tests honest: flaky tests do not block, regressions do, healed locators come as patches"
	repository = "https://github.com/breadcrumb/action"
)

func (r *release) manifest(name, description string) manifest {
	return manifest{
		Name: npmScope + "/" + name, Version: r.version, Description: description, License: "Apache-2.0", PreferUnplugged: true,
		Homepage: repository, Repository: map[string]string{"type": "git", "url": "git+" + repository + ".git"},
	}
}

// file is a file of a package.
type file struct {
	name string
	mode uint32
	text []byte
}

// saveNPM writes the tar archive that npm pack would, under its name.
func (r *release) saveNPM(m manifest, files ...file) error {
	text, err := encode(m)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zipped)
	for _, f := range append([]file{{"package.json", 0o644, text}, {"LICENSE", 0o644, r.license}}, files...) {
		header := &tar.Header{Name: "package/" + f.name, Mode: int64(f.mode), Size: int64(len(f.text)), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(f.text); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	if err := zipped.Close(); err != nil {
		return err
	}
	return r.save(fmt.Sprintf("breadcrumb-action-%s-%s.tgz", m.Name[len(npmScope)+1:], r.version), packed.Bytes())
}

func encode(v any) ([]byte, error) {
	text, err := json.MarshalIndent(v, "", "  ")
	return append(text, '\n'), err
}
