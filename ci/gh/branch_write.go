package gh

import (
	"context"
	"crypto/sha1" //nolint:gosec // git names a blob by it
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/google/go-github/v62/github"

	"github.com/breadcrumb/action/state"
)

// maxRaces bounds how often a Put begins anew because another run moved the
// branch meanwhile. Each time one of them gets through.
const maxRaces = 100

// errMoved says that another run moved the branch.
var errMoved = errors.New("another run moved the branch")

// Put implements [state.Backend].
func (b *BranchBackend) Put(ctx context.Context, name string, files fs.FS) error {
	return b.put(ctx, name, files, func([]kept) ([]kept, error) { return nil, nil })
}

// Replace implements [state.Replacer], in one commit. What is removed stays in
// git's history, so that a run which listed it before can still read it.
func (b *BranchBackend) Replace(ctx context.Context, name string, files fs.FS, listed, gone []state.Item) error {
	return b.put(ctx, name, files, func(there []kept) (remove []kept, err error) {
		for _, k := range there {
			switch {
			case strings.HasPrefix(k.name, state.SnapshotPrefix) && !k.among(listed):
				return nil, state.ErrOvertaken
			case k.among(gone):
				remove = append(remove, k)
			}
		}
		return remove, nil
	})
}

// kept is an item on the branch.
type kept struct{ folder, name, tree string }

// among reports whether items hold it.
func (k kept) among(items []state.Item) bool {
	return slices.ContainsFunc(items, func(item state.Item) bool { return item.Name == k.name && item.ID == k.tree })
}

// put saves the files as an item, and removes what needless returns of the
// items that are there in the same commit.
func (b *BranchBackend) put(ctx context.Context, name string, files fs.FS, needless func([]kept) ([]kept, error)) error {
	if err := b.save(ctx, name, files, needless); err != nil {
		return fmt.Errorf("save %s on branch %s: %w", name, StateBranch, err)
	}
	return nil
}

func (b *BranchBackend) save(ctx context.Context, name string, files fs.FS, needless func([]kept) ([]kept, error)) error {
	if !b.options.trusted() {
		return state.ErrReadOnly
	}
	tree, err := b.writeFolder(ctx, files)
	if err != nil {
		return err
	}
	for range maxRaces {
		if err = b.commit(ctx, name, tree, needless); !errors.Is(err, errMoved) {
			break
		}
	}
	return err
}

// writeFolder stores the files as blobs and returns the tree that names them.
// Git names both by their content, so that storing them twice is once.
func (b *BranchBackend) writeFolder(ctx context.Context, files fs.FS) (string, error) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return "", err
	}
	var tree []*github.TreeEntry
	left := int64(state.MaxBytes)
	for _, e := range entries {
		content, err := readFile(files, e, left)
		if err != nil {
			return "", err
		}
		left -= int64(len(content))
		blob := &github.Blob{Encoding: github.String("base64"), Content: github.String(base64.StdEncoding.EncodeToString(content))}
		made, _, err := b.client.api.Git.CreateBlob(withIdempotent(ctx), b.owner, b.name, blob)
		if err != nil {
			return "", b.fault("write blob", err)
		}
		tree = append(tree, treeEntry(e.Name(), "blob", made.SHA))
	}
	made, _, err := b.client.api.Git.CreateTree(withIdempotent(ctx), b.owner, b.name, "", tree)
	if err != nil {
		return "", b.fault("write tree", err)
	}
	return made.GetSHA(), nil
}

// readFile returns the content of a plain file of at most limit bytes.
func readFile(files fs.FS, e fs.DirEntry, limit int64) ([]byte, error) {
	info, err := e.Info()
	if err != nil {
		return nil, err
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: %w", e.Name(), state.ErrHostile)
	case info.Size() > limit:
		return nil, state.ErrTooLarge
	}
	content, err := fs.ReadFile(files, e.Name())
	if err == nil && int64(len(content)) > limit {
		err = state.ErrTooLarge
	}
	return content, err
}

// treeEntry returns a line of a tree; without a sha it takes the path away.
func treeEntry(name, kind string, sha *string) *github.TreeEntry {
	mode := "100644"
	if kind == "tree" {
		mode = "040000"
	}
	return &github.TreeEntry{Path: &name, Mode: &mode, Type: &kind, SHA: sha}
}

// commit adds the folder to the branch's newest commit and moves the branch
// there, forward only: it returns errMoved when that commit is not the newest
// any more. A folder that is there already is a Put whose answer was lost.
func (b *BranchBackend) commit(ctx context.Context, name, tree string, needless func([]kept) ([]kept, error)) error {
	head, root, err := b.head(ctx)
	if err != nil {
		return err
	}
	there := itemsOf(root)
	for _, k := range there {
		if k.name == name && k.tree == tree {
			return nil
		}
		if k.name == name {
			return state.ErrExists
		}
	}
	remove, err := needless(there)
	if err != nil {
		return err
	}
	changes := []*github.TreeEntry{treeEntry(folder(name, b.client.now()), "tree", &tree)}
	for _, k := range remove {
		changes = append(changes, treeEntry(k.folder, "tree", nil))
	}
	made, _, err := b.client.api.Git.CreateTree(withIdempotent(ctx), b.owner, b.name, root.GetSHA(), changes)
	if err != nil {
		return b.fault("write tree", err)
	}
	commit := &github.Commit{Message: github.String("breadcrumb: " + name), Tree: &github.Tree{SHA: made.SHA}}
	if head != "" {
		commit.Parents = []*github.Commit{{SHA: &head}}
	}
	done, _, err := b.client.api.Git.CreateCommit(withIdempotent(ctx), b.owner, b.name, commit, nil)
	if err != nil {
		return b.fault("write commit", err)
	}
	if err := b.move(ctx, head == "", done.GetSHA()); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.moved = &moved{done.GetSHA(), made}
	return nil
}

// moved is a commit that we made the branch's newest, with its tree.
type moved struct {
	commit string
	tree   *github.Tree
}

// itemsOf lists the items of a commit's tree.
func itemsOf(root *github.Tree) []kept {
	var there []kept
	for _, e := range root.Entries {
		if _, name, ok := parseFolder(e.GetPath()); ok {
			there = append(there, kept{folder: e.GetPath(), name: name, tree: e.GetSHA()})
		}
	}
	return there
}

// head returns the branch's newest commit and its tree, both empty without a
// branch. After a move of our own it is that: if it is not the newest any more,
// the next move says so.
func (b *BranchBackend) head(ctx context.Context) (string, *github.Tree, error) {
	b.mu.Lock()
	moved := b.moved
	b.moved = nil
	b.mu.Unlock()
	if moved != nil {
		return moved.commit, moved.tree, nil
	}
	ref, _, err := b.client.api.Git.GetRef(ctx, b.owner, b.name, "heads/"+StateBranch)
	if noBranch(err) {
		return "", &github.Tree{}, nil
	}
	if err != nil {
		return "", nil, b.fault("read branch", err)
	}
	head := ref.GetObject().GetSHA()
	commit, _, err := b.client.api.Git.GetCommit(ctx, b.owner, b.name, head)
	if err != nil {
		return "", nil, b.fault("read commit", err)
	}
	tree, _, err := b.client.api.Git.GetTree(ctx, b.owner, b.name, commit.GetTree().GetSHA(), false)
	if err != nil {
		return "", nil, b.fault("read tree", err)
	}
	return head, tree, nil
}

// move makes commit the branch's newest.
func (b *BranchBackend) move(ctx context.Context, first bool, commit string) error {
	name := "refs/heads/" + StateBranch
	ref := &github.Reference{Ref: &name, Object: &github.GitObject{SHA: &commit}}
	var err error
	if first {
		_, _, err = b.client.api.Git.CreateRef(withIdempotent(ctx), b.owner, b.name, ref)
	} else {
		_, _, err = b.client.api.Git.UpdateRef(ctx, b.owner, b.name, ref, false)
	}
	if err == nil {
		return nil
	}
	return b.client.fault("move branch", err, map[int]error{
		http.StatusForbidden: ErrNoPermission, http.StatusNotFound: ErrNoPermission,
		http.StatusUnprocessableEntity: errMoved, http.StatusConflict: errMoved,
	})
}

// fault is the client's, with what to do about a missing permission.
func (b *BranchBackend) fault(op string, err error) error {
	err = b.client.fault(op, err, refused)
	if errors.Is(err, ErrNoPermission) {
		err = fmt.Errorf("%w; give the job the permission contents: write", err)
	}
	return err
}

// blobName returns git's name for a file of so many bytes with the content of
// f, which is read from its start and then rewound.
func blobName(f *os.File, size int64) (string, error) {
	sum := sha1.New() //nolint:gosec // git's choice
	fmt.Fprintf(sum, "blob %d\x00", size)
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("read temporary file: %w", err)
	}
	if err := rewind(f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
