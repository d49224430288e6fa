package gh

import (
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/breadcrumb/action/ci/gh/archive"
	"github.com/breadcrumb/action/state"
)

// maxRaces bounds how often a Put begins anew because another run moved the
// branch meanwhile. In each round one of the runs succeeds.
const maxRaces = 100

// errMoved says that another run moved the branch.
var errMoved = errors.New("another run moved the branch")

// Put implements [state.Backend].
func (b *BranchBackend) Put(ctx context.Context, name string, files fs.FS) error {
	return b.save(ctx, files, newItem{name: name})
}

// Replace implements [state.Replacer], in one commit. What is removed stays in
// git's history, so that a run which listed it before can still read it.
func (b *BranchBackend) Replace(ctx context.Context, name string, files fs.FS, listed, gone []state.Item) error {
	return b.save(ctx, files, newItem{name, true, listed, gone})
}

// newItem is an item to save. One that replaces others removes those that are gone,
// and every snapshot on the branch must be among the listed.
type newItem struct {
	name         string
	replaces     bool
	listed, gone []state.Item
}

// save saves the files as an item.
func (b *BranchBackend) save(ctx context.Context, files fs.FS, item newItem) (err error) {
	defer wrapError(&err, "save %s on branch %s", item.name, StateBranch)
	if !b.options.onDefaultBranch() {
		return state.ErrReadOnly
	}
	tree, err := b.writeFolder(ctx, files)
	if err != nil {
		return err
	}
	for range maxRaces {
		if err = b.commit(ctx, item, tree); !errors.Is(err, errMoved) {
			break
		}
	}
	return err
}

// writeFolder stores the files as blobs and returns the tree that names them.
// Git names both by their content, so that storing them twice is once.
func (b *BranchBackend) writeFolder(ctx context.Context, files fs.FS) (string, error) {
	all, err := archive.ReadFiles(files)
	if err != nil {
		return "", err
	}
	var tree []*github.TreeEntry
	for _, f := range all {
		blob := &github.Blob{Encoding: github.String("base64"), Content: github.String(base64.StdEncoding.EncodeToString(f.Content))}
		made, _, err := b.client.api.Git.CreateBlob(withIdempotent(ctx), b.owner, b.name, blob)
		if err != nil {
			return "", b.fault("write blob", err)
		}
		tree = append(tree, &github.TreeEntry{Path: &f.Name, Mode: github.String("100644"), Type: github.String("blob"), SHA: made.SHA})
	}
	made, _, err := b.client.api.Git.CreateTree(withIdempotent(ctx), b.owner, b.name, "", tree)
	if err != nil {
		return "", b.fault("write tree", err)
	}
	return made.GetSHA(), nil
}

// commit adds the folder to the branch's newest commit and moves the branch
// there, forward only: it returns errMoved when that commit is not the newest
// any more. A folder that is there already is a Put whose answer was lost.
func (b *BranchBackend) commit(ctx context.Context, item newItem, tree string) error {
	head, err := b.loadHead(ctx)
	if err != nil {
		return err
	}
	changes := make([]*github.TreeEntry, 1)
	overtaken, now := false, b.client.now()
	for _, e := range head.tree.Entries {
		at, name, ok := parseFolder(e.GetPath())
		if ok && !now.After(at) { // the order is that of the commits, whatever the clocks say
			now = at.Add(time.Millisecond)
		}
		isIt := func(other state.Item) bool { return other.Name == name && other.ID == e.GetSHA() }
		switch {
		case !ok:
		case name == item.name && e.GetSHA() == tree:
			return nil
		case name == item.name:
			return state.ErrExists
		case item.replaces && strings.HasPrefix(name, state.SnapshotPrefix) && !slices.ContainsFunc(item.listed, isIt):
			overtaken = true
		case slices.ContainsFunc(item.gone, isIt):
			changes = append(changes, folderEntry(e.GetPath(), nil))
		}
	}
	if overtaken {
		return state.ErrOvertaken
	}
	changes[0] = folderEntry(folderName(item.name, now), &tree)
	made, _, err := b.client.api.Git.CreateTree(withIdempotent(ctx), b.owner, b.name, head.tree.GetSHA(), changes)
	if err != nil {
		return b.fault("write tree", err)
	}
	commit := &github.Commit{Message: github.String("breadcrumb: " + item.name), Tree: &github.Tree{SHA: made.SHA}}
	if head.commit != "" {
		commit.Parents = []*github.Commit{{SHA: &head.commit}}
	}
	done, _, err := b.client.api.Git.CreateCommit(withIdempotent(ctx), b.owner, b.name, commit, nil)
	if err != nil {
		return b.fault("write commit", err)
	}
	if err := b.moveBranch(ctx, head.commit == "", done.GetSHA()); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.head = &branchHead{done.GetSHA(), made}
	return nil
}

// folderName returns the name of an item's folder.
func folderName(name string, at time.Time) string { return at.UTC().Format(stampFormat) + "_" + name }

// folderEntry is a line of a tree that adds a folder or, without a tree, removes
// it.
func folderEntry(name string, tree *string) *github.TreeEntry {
	return &github.TreeEntry{Path: &name, Mode: github.String("040000"), Type: github.String("tree"), SHA: tree}
}

// branchHead is the branch's newest commit and its tree, both empty without a
// branch.
type branchHead struct {
	commit string
	tree   *github.Tree
}

// loadHead returns the branch's newest commit: the one that our own last Put made,
// without asking. If that is not the newest any more, moving the branch fails.
func (b *BranchBackend) loadHead(ctx context.Context) (branchHead, error) {
	b.mu.Lock()
	own := b.head
	b.head = nil
	b.mu.Unlock()
	if own != nil {
		return *own, nil
	}
	ref, _, err := b.client.api.Git.GetRef(ctx, b.owner, b.name, "heads/"+StateBranch)
	if noBranch(err) {
		return branchHead{tree: &github.Tree{}}, nil
	}
	if err != nil {
		return branchHead{}, b.fault("read branch", err)
	}
	sha := ref.GetObject().GetSHA()
	commit, _, err := b.client.api.Git.GetCommit(ctx, b.owner, b.name, sha)
	if err != nil {
		return branchHead{}, b.fault("read commit", err)
	}
	tree, _, err := b.client.api.Git.GetTree(ctx, b.owner, b.name, commit.GetTree().GetSHA(), false)
	if err != nil {
		return branchHead{}, b.fault("read tree", err)
	}
	return branchHead{sha, tree}, nil
}

// moveBranch makes commit the branch's newest.
func (b *BranchBackend) moveBranch(ctx context.Context, first bool, commit string) error {
	name := "refs/heads/" + StateBranch
	ref := &github.Reference{Ref: &name, Object: &github.GitObject{SHA: &commit}}
	var err error
	if first {
		_, _, err = b.client.api.Git.CreateRef(withIdempotent(ctx), b.owner, b.name, ref)
	} else {
		_, _, err = b.client.api.Git.UpdateRef(ctx, b.owner, b.name, ref, false)
	}
	return b.client.fault("move branch", err, map[int]error{
		http.StatusForbidden: ErrNoPermission, http.StatusNotFound: ErrNoPermission,
		http.StatusUnprocessableEntity: errMoved, http.StatusConflict: errMoved,
	})
}

// fault says which permission the job lacks.
func (b *BranchBackend) fault(op string, err error) error {
	return b.client.faultNeeding("contents: write", op, err)
}
