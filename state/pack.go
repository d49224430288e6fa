package state

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/klauspost/compress/zstd"
)

// maxDatabase is the largest database a snapshot unpacks to: 512 MiB, as the
// store opens.
const maxDatabase = 512 << 20

// maxWindow bounds what unpacking keeps in memory.
const maxWindow = 8 << 20

// pack compresses a file and returns the digest of what it wrote.
func pack(from, to string) (digest string, err error) {
	in, err := os.Open(from)
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	sum := sha256.New()
	z, err := zstd.NewWriter(io.MultiWriter(out, sum), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(maxWindow))
	if err != nil {
		return "", err
	}
	if _, err := io.Copy(z, in); err != nil {
		return "", errors.Join(err, z.Close())
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	return digestText(sum.Sum(nil)), nil
}

func digestText(sum []byte) string { return "sha256:" + hex.EncodeToString(sum) }

// checkDigest wants a file of a directory to have a digest.
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

// unpack checks a compressed file of a directory against its digest and
// writes what it holds to a new file.
func unpack(dir *os.Root, name, digest, to string) error {
	if err := checkDigest(dir, name, digest); err != nil {
		return err
	}
	in, err := dir.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return badContent{err}
	}
	defer z.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(z, maxDatabase+1))
	if err != nil {
		err = badContent{fmt.Errorf("unpack %s: %w", name, err)}
	} else if n > maxDatabase {
		err = badContent{fmt.Errorf("%s unpacks to more than %d bytes", name, maxDatabase)}
	}
	return errors.Join(err, out.Close())
}
