package githubtest

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
)

var releaseRoutes = []route{
	{"GET", inRepo + "/releases", read, (*call).listReleases},
	{"POST", inRepo + "/releases", write, withBody((*call).createRelease)},
	{"GET", inRepo + "/releases/{release}", read, (*call).getRelease},
	{"PATCH", inRepo + "/releases/{release}", write, withBody((*call).updateRelease)},
	{"POST", inRepo + "/releases/{release}/assets", write, (*call).uploadAsset},
	{"DELETE", inRepo + "/releases/assets/{asset}", write, (*call).deleteAsset},
}

// ReleaseFile returns a file of a published release, as everybody can fetch it.
func (s *Server) ReleaseFile(repository, tag, name string) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if repo := s.state.findRepository(repository); repo != nil {
		if r := find(repo.Releases, func(r Release) bool { return r.Tag == tag && !r.Draft }); r != nil {
			if a := find(r.Assets, func(a ReleaseAsset) bool { return a.Name == name && !a.Started }); a != nil {
				return slices.Clone(a.Content), true
			}
		}
	}
	return nil, false
}

// listReleases lists the newest first, the drafts for those who may write alone.
func (c *call) listReleases() (any, error) {
	listed := filter(c.repo.Releases, func(r Release) bool { return !r.Draft || !c.isReadOnly() })
	slices.Reverse(listed)
	return pageOf(c, listed, c.releaseShape), nil
}

func (c *call) findRelease() (*Release, error) {
	id := c.number("release")
	r := find(c.repo.Releases, func(r Release) bool { return r.ID == id && (!r.Draft || !c.isReadOnly()) })
	if r == nil {
		return nil, notFound
	}
	return r, nil
}

func (c *call) getRelease() (any, error) {
	r, err := c.findRelease()
	if err != nil {
		return nil, err
	}
	return c.releaseShape(*r), nil
}

func (c *call) releaseShape(r Release) object {
	self := c.api("/releases/%d", r.ID)
	shape := object{
		"id": r.ID, "node_id": nodeID("Release", r.ID), "tag_name": r.Tag, "name": r.Name, "body": r.Body, "draft": r.Draft, "prerelease": r.Prerelease, "immutable": r.Immutable,
		"target_commitish": c.repo.DefaultBranch, "author": c.userShape(c.token.Login), "created_at": formatTime(r.Created), "published_at": nil,
		"html_url": c.html("/releases/tag/%s", r.Tag), "tarball_url": c.api("/tarball/%s", r.Tag), "zipball_url": c.api("/zipball/%s", r.Tag),
		"assets": shapesOf(r.Assets, func(a ReleaseAsset) object { return c.assetShape(r, a) }),
	}
	if !r.Draft {
		shape["published_at"] = formatTime(r.Created)
	}
	setURLs(shape, self, map[string]string{"url": "", "assets_url": "/assets", "upload_url": "/assets{?name,label}"})
	return shape
}

func (c *call) assetShape(r Release, a ReleaseAsset) object {
	state, digest := "uploaded", any(fmt.Sprintf("sha256:%x", sha256.Sum256(a.Content)))
	if a.Started {
		state, digest = "open", nil
	}
	return object{
		"id": a.ID, "node_id": nodeID("ReleaseAsset", a.ID), "name": a.Name, "label": "", "state": state, "content_type": "application/octet-stream", "size": len(a.Content),
		"digest": digest, "download_count": 0, "created_at": formatTime(r.Created), "updated_at": formatTime(r.Created), "uploader": c.userShape(c.token.Login),
		"url": c.api("/releases/assets/%d", a.ID), "browser_download_url": c.html("/releases/download/%s/%s", r.Tag, a.Name),
	}
}

type releaseIn struct {
	TagName    string `json:"tag_name"`
	Name, Body *string
	Draft      *bool
	Prerelease *bool
	MakeLatest string `json:"make_latest"`
}

func (c *call) createRelease(in releaseIn) (any, error) {
	if find(c.repo.Releases, func(r Release) bool { return r.Tag == in.TagName && !r.Draft }) != nil {
		return nil, invalid("Release", "tag_name", "already_exists", "")
	}
	c.repo.Releases = append(c.repo.Releases, Release{ID: c.state.nextID(), Tag: in.TagName, Draft: true, Created: c.now})
	r := &c.repo.Releases[len(c.repo.Releases)-1]
	if in.Draft == nil {
		in.Draft = new(bool)
	}
	c.changeRelease(r, in)
	return created{c.releaseShape(*r)}, nil
}

// updateRelease changes a release, of an immutable one its name and body alone.
func (c *call) updateRelease(in releaseIn) (any, error) {
	r, err := c.findRelease()
	switch {
	case err != nil:
		return nil, err
	case r.Immutable && (in.TagName != "" || in.Draft != nil || in.Prerelease != nil):
		return nil, unprocessable("Cannot change an immutable release.")
	}
	c.changeRelease(r, in)
	return c.releaseShape(*r), nil
}

// changeRelease sets what the request names. What is published becomes immutable where
// the repository's releases are.
func (c *call) changeRelease(r *Release, in releaseIn) {
	if in.Name != nil {
		r.Name = *in.Name
	}
	if in.Body != nil {
		r.Body = *in.Body
	}
	if in.Prerelease != nil {
		r.Prerelease = *in.Prerelease
	}
	if in.Draft != nil {
		r.Draft = *in.Draft
		r.Immutable = !r.Draft && c.repo.ImmutableReleases
	}
}

func (c *call) uploadAsset() (any, error) {
	r, err := c.findRelease()
	name := c.URL.Query().Get("name")
	switch {
	case err != nil:
		return nil, err
	case r.Immutable:
		return nil, unprocessable("Cannot upload assets to an immutable release.")
	case find(r.Assets, func(a ReleaseAsset) bool { return a.Name == name }) != nil:
		return nil, invalid("ReleaseAsset", "name", "already_exists", "")
	case len(c.body) == 0:
		return nil, fail(http.StatusBadRequest, "Bad Content-Length: 0")
	}
	a := ReleaseAsset{ID: c.state.nextID(), Name: name, Content: c.body}
	r.Assets = append(r.Assets, a)
	return created{c.assetShape(*r, a)}, nil
}

func (c *call) deleteAsset() (any, error) {
	id := c.number("asset")
	for i := range c.repo.Releases {
		r := &c.repo.Releases[i]
		if at := slices.IndexFunc(r.Assets, func(a ReleaseAsset) bool { return a.ID == id }); at >= 0 {
			if r.Immutable {
				return nil, unprocessable("Cannot delete assets of an immutable release.")
			}
			r.Assets = slices.Delete(r.Assets, at, at+1)
			c.w.WriteHeader(http.StatusNoContent)
			return nil, nil
		}
	}
	return nil, notFound
}
