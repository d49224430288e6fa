package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"time"
)

// writeWheels writes a wheel of each platform that holds nothing but the binary, among
// its scripts, which pip puts beside python
// (https://packaging.python.org/en/latest/specifications/binary-distribution-format/).
func (r *release) writeWheels() error {
	version := strings.Replace(r.version, "-rc.", "rc", 1) // as Python writes candidates
	for _, b := range r.binaries {
		name := "breadcrumb_action-" + version
		var tags strings.Builder
		for tag := range strings.SplitSeq(b.wheel, ".") {
			fmt.Fprintf(&tags, "Tag: py3-none-%s\n", tag)
		}
		info := name + ".dist-info/"
		text, err := zipWheel(info+"RECORD", []file{
			{name + ".data/scripts/" + b.program, 0o755, b.text},
			{info + "licenses/LICENSE", 0o644, r.license},
			{info + "licenses/LICENSES", 0o644, r.licenses},
			{info + "METADATA", 0o644, []byte(fmt.Sprintf(metadata, version, summary, repository))},
			{info + "WHEEL", 0o644, []byte("Wheel-Version: 1.0\nGenerator: breadcrumb release\nRoot-Is-Purelib: false\n" + tags.String())},
		})
		if err != nil {
			return err
		}
		if err := r.save(name+"-py3-none-"+b.wheel+".whl", text); err != nil {
			return err
		}
	}
	return nil
}

// metadata takes the version, the summary and the repository
// (https://packaging.python.org/en/latest/specifications/core-metadata/).
const metadata = `Metadata-Version: 2.4
Name: breadcrumb-action
Version: %s
Summary: %s
Project-URL: Homepage, %s
License-Expression: Apache-2.0
License-File: LICENSE
License-File: LICENSES
Requires-Python: >=3.8
`

// zipWheel packs the files, and the list of their digests under the name record.
func zipWheel(record string, files []file) ([]byte, error) {
	var list strings.Builder
	for _, f := range files {
		digest := sha256.Sum256(f.text)
		fmt.Fprintf(&list, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(digest[:]), len(f.text))
	}
	fmt.Fprintf(&list, "%s,,\n", record)
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	for _, f := range append(files, file{record, 0o644, []byte(list.String())}) {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
		header.CreatorVersion = 3 << 8 // Unix, whose rights pip reads
		header.ExternalAttrs = (0o100000 | f.mode) << 16
		w, err := archive.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return packed.Bytes(), err
}
