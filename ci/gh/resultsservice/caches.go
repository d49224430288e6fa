package resultsservice

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
)

const cacheService = "CacheService"

// Hit is one cache that was found.
type Hit struct {
	Key string
	URL string // signed address to download from
}

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
	in := cacheKey{Key: key, Version: version}
	var out struct {
		OK      bool   `json:"ok"`
		URL     string `json:"signed_upload_url"`
		Message string `json:"message"`
	}
	if err := c.call(ctx, cacheService, "CreateCacheEntry", in, &out); err != nil {
		return "", err
	}
	if !out.OK || out.URL == "" {
		return "", c.refusal("CreateCacheEntry", out.Message)
	}
	return out.URL, nil
}

// FinalizeCache makes the uploaded cache of size bytes appear.
func (c *Client) FinalizeCache(ctx context.Context, key, version string, size int64) error {
	in := struct {
		cacheKey
		Size string `json:"size_bytes"`
	}{cacheKey{Key: key, Version: version}, strconv.FormatInt(size, 10)}
	var out struct {
		OK      bool   `json:"ok"`
		Message string `json:"message"`
	}
	if err := c.call(ctx, cacheService, "FinalizeCacheEntryUpload", in, &out); err != nil {
		return err
	}
	if !out.OK {
		return c.refusal("FinalizeCacheEntryUpload", out.Message)
	}
	return nil
}

// FindCache returns the cache of the key that the job may read, or the newest
// whose key begins with one of restore, and false when there is none.
func (c *Client) FindCache(ctx context.Context, key, version string, restore ...string) (Hit, bool, error) {
	in := struct {
		cacheKey
		Restore []string `json:"restore_keys,omitempty"`
	}{cacheKey{Key: key, Version: version}, restore}
	var out struct {
		OK  bool   `json:"ok"`
		URL string `json:"signed_download_url"`
		Key string `json:"matched_key"`
	}
	if err := c.call(ctx, cacheService, "GetCacheEntryDownloadURL", in, &out); err != nil {
		return Hit{}, false, err
	}
	if !out.OK || out.URL == "" {
		return Hit{}, false, nil
	}
	return Hit{Key: out.Key, URL: out.URL}, true, nil
}

type cacheKey struct {
	Key     string `json:"key"`
	Version string `json:"version"`
}

// refusal returns the error of an answer that is not ok. That a key is taken
// is said only in its message.
func (c *Client) refusal(method, message string) error {
	if message == "" {
		return errors.New(method + ": the results service refused without a reason")
	}
	refused := &Error{Method: method, Status: 200, Message: c.tidy(message)}
	if strings.Contains(message, "already exists") {
		refused.Code = "already_exists"
	}
	return refused
}
