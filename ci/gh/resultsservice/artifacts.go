package resultsservice

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

const artifactService = "ArtifactService"

// artifactVersion is the version of the artifact protocol that its own client
// sends since it names a MIME type.
const artifactVersion = 7

// CreateArtifact reserves a name in the job's run and returns the signed
// address to upload a zip archive to. The error wraps [ErrExists] when the
// name is taken, by a finished artifact or by one that was never finished. A
// zero until keeps it as long as the repository keeps artifacts.
func (c *Client) CreateArtifact(ctx context.Context, name string, until time.Time) (string, error) {
	in := struct {
		scope
		Name     string     `json:"name"`
		Version  int        `json:"version"`
		MIMEType string     `json:"mime_type"`
		Until    *time.Time `json:"expires_at,omitempty"`
	}{scope: c.scope, Name: name, Version: artifactVersion, MIMEType: ZipType}
	if !until.IsZero() {
		until = until.UTC().Truncate(time.Second)
		in.Until = &until
	}
	return c.change(ctx, artifactService, "CreateArtifact", in)
}

// FinalizeArtifact makes the uploaded artifact appear. digest is "sha256:<hex>" of
// the size bytes that were uploaded.
func (c *Client) FinalizeArtifact(ctx context.Context, name string, size int64, digest string) error {
	in := struct {
		scope
		Name string `json:"name"`
		Size string `json:"size"`
		Hash string `json:"hash"`
	}{c.scope, name, strconv.FormatInt(size, 10), digest}
	_, err := c.change(ctx, artifactService, "FinalizeArtifact", in)
	return err
}

// FindArtifact returns the digest of the finished artifact of that name in the
// job's run: "sha256:<hex>", and "" where the service keeps none. found is false
// when there is no such artifact.
func (c *Client) FindArtifact(ctx context.Context, name string) (digest string, found bool, err error) {
	in := struct {
		scope
		Name string `json:"name_filter"`
	}{c.scope, name}
	var out struct {
		Artifacts []struct {
			Name   string `json:"name"`
			Digest string `json:"digest"`
		} `json:"artifacts"`
	}
	if err := c.callMethod(ctx, artifactService, "ListArtifacts", in, &out); err != nil {
		return "", false, fmt.Errorf("find artifact: %w", err)
	}
	for _, a := range out.Artifacts {
		if a.Name == name {
			return a.Digest, true, nil
		}
	}
	return "", false, nil
}
