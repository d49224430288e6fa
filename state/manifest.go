package state

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
)

// manifestFormat is the version of the manifest that this package writes.
const manifestFormat = "breadcrumb.snapshot/v1"

// The files of a snapshot and of a delta.
const (
	manifestFile = "manifest.json"
	databaseFile = "snapshot.db.zst"
	deltaFile    = "delta.ndjson.zst"
)

// Manifest describes a snapshot.
type Manifest struct {
	Covers       map[string]time.Time `json:"covers"` // names of the deltas inside, and until when each may be listed
	Created      time.Time            `json:"created"`
	Digest       string               `json:"digest"` // "sha256:<hex>" of databaseFile
	Format       string               `json:"format"`
	Days         Anchor               `json:"days,omitzero"`    // the last snapshot before or with this one that is kept for days
	Former       *Former              `json:"former,omitempty"` // names of before a rename, under which there may be more
	Long         Anchor               `json:"long,omitzero"`    // that is kept as long as anything
	RepositoryID int64                `json:"repository_id"`
	Rows         map[string]int       `json:"rows"`
	Schema       int                  `json:"schema"`
	Unread       []int64              `json:"unread,omitempty"` // runs with deltas that did not fit into this snapshot
	Watermark    time.Time            `json:"watermark"`        // earlier runs are deleted; zero: none
}

// Anchor says when a snapshot was saved that is kept longer than most, and how many
// were made of it since, one from the other.
type Anchor struct {
	Saved time.Time `json:"saved"`
	Since int       `json:"since"`
}

// maxManifest bounds a manifest: some 500,000 covered deltas.
const maxManifest = 32 << 20

// readManifest reads and checks the manifest in a directory.
func readManifest(dir *os.Root, repository int64) (Manifest, error) {
	f, err := dir.Open(manifestFile)
	if err != nil {
		return Manifest{}, badContent{errors.New("it has no manifest")}
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err != nil {
		return Manifest{}, fmt.Errorf("read manifest: %w", err)
	}
	var m Manifest
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(&m); err != nil || len(text) > maxManifest {
		return Manifest{}, badContent{errors.Join(errors.New("its manifest cannot be read"), err)}
	}
	switch {
	case m.Format != manifestFormat && strings.HasPrefix(m.Format, strings.TrimRight(manifestFormat, "0123456789")):
		return Manifest{}, fmt.Errorf("%w: its format is %.40q", errNewer, m.Format)
	case m.Format != manifestFormat:
		return Manifest{}, badContent{fmt.Errorf("its format is %.40q", m.Format)}
	case m.RepositoryID != repository:
		return Manifest{}, badContent{fmt.Errorf("it is of repository %d", m.RepositoryID)}
	}
	return m, nil
}

// errNewer means that a newer Breadcrumb saved an item, which is then left
// alone.
var errNewer = errors.New("a newer version of Breadcrumb saved it; update Breadcrumb")

// maxWindow bounds the memory for unpacking.
const maxWindow = 8 << 20

func digestText(sum []byte) string { return "sha256:" + hex.EncodeToString(sum) }

// checkDigest returns an error unless a file of a directory has the digest.
func checkDigest(dir *os.Root, name, digest string) error {
	in, err := dir.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return badContent{fmt.Errorf("it has no %s", name)}
	}
	if err != nil {
		return err
	}
	defer in.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, in); err != nil {
		return err
	}
	if got := digestText(sum.Sum(nil)); got != digest {
		return badContent{fmt.Errorf("%s has the digest %s, its manifest says %.80q", name, got, digest)}
	}
	return nil
}
