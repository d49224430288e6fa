package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// release is what GitHub tells of a release.
type release struct {
	ID        int64   `json:"id"`
	TagName   string  `json:"tag_name"`
	Draft     bool    `json:"draft"`
	Immutable bool    `json:"immutable"`
	UploadURL string  `json:"upload_url"`
	Page      string  `json:"html_url"`
	Assets    []asset `json:"assets"`
}

// asset is a file of a release. Its digest is "sha256:" and hex, and empty while its
// upload has not ended.
type asset struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

// publish makes a draft of the release with exactly the files of a directory, and
// publishes it when GitHub lists each of them: to an immutable release nothing can be
// added. A draft that an earlier call left is completed; of a release that is out it
// checks the files alone.
func (r *repository) publish(ctx context.Context, version, dir string) error {
	files, err := digests(dir)
	if err != nil {
		return fmt.Errorf("read the files: %w", err)
	}
	it, err := r.find(ctx, version)
	if err == nil && it == nil {
		it = new(release)
		err = r.call(ctx, http.MethodPost, "/releases", map[string]any{
			"tag_name": version, "name": version, "body": "See CHANGELOG.md at this tag.", "draft": true, "prerelease": strings.Contains(version, "-"),
		}, it)
	}
	if err != nil {
		return fmt.Errorf("draft %s: %w", version, err)
	}
	if it.Draft {
		if err := r.fill(ctx, it, dir, files); err != nil {
			return fmt.Errorf("fill the draft of %s: %w", version, err)
		}
	}
	path := fmt.Sprintf("/releases/%d", it.ID)
	it = new(release) // what an answer leaves out is not what it was before
	if err := r.call(ctx, http.MethodGet, path, nil, it); err != nil {
		return fmt.Errorf("look at %s: %w", version, err)
	}
	listed := map[string]string{}
	for _, a := range it.Assets {
		listed[a.Name] = a.Digest
	}
	switch {
	case !maps.Equal(listed, files) && it.Draft:
		return fmt.Errorf("the draft of %s has not the files of %s; it is not published: %s", version, dir, it.Page)
	case !maps.Equal(listed, files):
		return fmt.Errorf("%s is published with other files than those of %s: take the next version", version, dir)
	case it.Draft:
		// GitHub marks the one with the highest version as the latest.
		if err := r.call(ctx, http.MethodPatch, path, map[string]any{"draft": false, "make_latest": "legacy"}, it); err != nil {
			return fmt.Errorf("publish %s: %w", version, err)
		}
	}
	if !it.Immutable {
		return fmt.Errorf("%s is published and can be changed. Turn on Settings, General, Releases, Enable release immutability; it holds from then on: take the next version", version)
	}
	fmt.Fprintf(r.out, "release: %s is published with %d files: %s\n", version, len(files), it.Page)
	return nil
}

// digests returns the digests of a folder's files, by name, as GitHub writes them.
func digests(dir string) (map[string]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, err
		}
		files[entry.Name()] = fmt.Sprintf("sha256:%x", sha256.Sum256(text))
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("there are none in %s", dir)
	}
	return files, nil
}

// find returns the release of a tag, published or a draft, nil where there is none.
func (r *repository) find(ctx context.Context, version string) (*release, error) {
	for page := 1; ; page++ {
		var all []release
		if err := r.call(ctx, http.MethodGet, fmt.Sprintf("/releases?per_page=100&page=%d", page), nil, &all); err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(all, func(it release) bool { return it.TagName == version }); i >= 0 {
			return &all[i], nil
		}
		if len(all) < 100 {
			return nil, nil
		}
	}
}

// fill takes from a draft what is not to be in it, such as a file whose upload was cut,
// and uploads what it lacks.
func (r *repository) fill(ctx context.Context, it *release, dir string, files map[string]string) error {
	missing := maps.Clone(files)
	for _, a := range it.Assets {
		if files[a.Name] == a.Digest {
			delete(missing, a.Name)
			continue
		}
		if err := r.call(ctx, http.MethodDelete, fmt.Sprintf("/releases/assets/%d", a.ID), nil, nil); err != nil {
			return err
		}
	}
	address, _, _ := strings.Cut(it.UploadURL, "{")
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		if err := r.upload(ctx, address+"?name="+url.QueryEscape(name), filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("upload %s: %w", name, err)
		}
	}
	return nil
}

func (r *repository) upload(ctx context.Context, address, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, f)
	if err != nil {
		return err
	}
	request.ContentLength = info.Size()
	request.Header.Set("Content-Type", "application/octet-stream")
	return r.send(request, nil)
}

// withdraw writes on the page of a release that it is withdrawn, and which one to use
// instead: of an immutable release title and notes alone can change.
func (r *repository) withdraw(ctx context.Context, version, instead string) error {
	it, err := r.find(ctx, version)
	if err == nil && it != nil {
		err = r.call(ctx, http.MethodPatch, fmt.Sprintf("/releases/%d", it.ID), map[string]any{
			"name": version + " (withdrawn)", "body": "Withdrawn: use " + instead + ". See CHANGELOG.md.",
		}, nil)
	}
	if err != nil {
		return fmt.Errorf("mark %s as withdrawn: %w", version, err)
	}
	return nil
}
