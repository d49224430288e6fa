package resultsservice

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

const cacheService = "CacheService"

// CacheVersion returns the version under which @actions/cache keeps and looks
// for an archive of the paths: SHA-256 of the paths as the workflow gives
// them, the compression method ("zstd-without-long" or "gzip") and a salt.
func CacheVersion(compression string, paths ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(append(paths, compression, "1.0"), "|")))
	return hex.EncodeToString(sum[:])
}

// CreateCache reserves a key and returns the signed address to upload the
// archive to. The error wraps [ErrExists] when the key is taken, by a finished
// cache or by one that was never finished.
func (c *Client) CreateCache(ctx context.Context, key, version string) (string, error) {
	return c.change(ctx, cacheService, "CreateCacheEntry", cacheKey{key, version})
}

// FinalizeCache makes the uploaded cache of size bytes appear.
func (c *Client) FinalizeCache(ctx context.Context, key, version string, size int64) error {
	in := struct {
		cacheKey
		Size string `json:"size_bytes"`
	}{cacheKey{key, version}, strconv.FormatInt(size, 10)}
	_, err := c.change(ctx, cacheService, "FinalizeCacheEntryUpload", in)
	return err
}

// FindCache returns the signed address to download the cache of the key from, and
// "" when there is none that the job may read.
func (c *Client) FindCache(ctx context.Context, key, version string) (address string, err error) {
	var out struct {
		OK  bool   `json:"ok"`
		URL string `json:"signed_download_url"`
		Key string `json:"matched_key"`
	}
	err = c.callMethod(ctx, cacheService, "GetCacheEntryDownloadURL", cacheKey{key, version}, &out)
	if err != nil || !out.OK || out.Key != key {
		return "", err
	}
	return out.URL, nil
}

type cacheKey struct {
	Key     string `json:"key"`
	Version string `json:"version"`
}
