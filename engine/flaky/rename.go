package flaky

import (
	"path"
	"strings"

	"github.com/breadcrumb/action/engine"
)

// Rename is a test that goes on under another identity.
type Rename struct {
	Old, New engine.TestID
	// Proven says that it is the same test beyond doubt. Where it is not, what a person
	// decided about the old one does not hold for the new one.
	Proven bool
}

// Renames pairs tests that vanished with tests that appeared in the same run.
// gone and appeared hold test ids; before and now are the ids of the last and
// of this run in the order of the source. A pair is a test whose file moved and
// whose title stayed, or whose title changed between the same neighbours of the
// same file. A pair must be the only one there is: when in doubt a test is new,
// because a wrong pair would lend its quarantine to a stranger. A pair is proven
// where the file kept its name, too, and only its folder changed. Parametrised
// names are identities like all others.
func Renames(gone, appeared, before, now []engine.TestID) []Rename {
	var pairs []Rename
	for _, key := range []func(ids []engine.TestID) func(engine.TestID) string{byTitle, byNeighbours} {
		oldKey, newKey := key(before), key(now)
		olds, news := uniqueKeys(gone, oldKey), uniqueKeys(appeared, newKey)
		for _, id := range gone {
			k := oldKey(id)
			if k != "" && olds[k] == id && news[k] != "" && !isPaired(pairs, id, news[k]) {
				pairs = append(pairs, Rename{id, news[k], inSameFile(id, news[k])})
			}
		}
	}
	return pairs
}

// uniqueKeys maps keys to the one id that has it; a key of several ids maps to "".
func uniqueKeys(ids []engine.TestID, key func(engine.TestID) string) map[string]engine.TestID {
	m := map[string]engine.TestID{}
	for _, id := range ids {
		k := key(id)
		if _, twice := m[k]; twice {
			id = ""
		}
		m[k] = id
	}
	return m
}

// inSameFile reports whether two ids differ in the folder of their file alone.
func inSameFile(a, b engine.TestID) bool {
	fileA, titleA, _ := a.CutFile()
	fileB, titleB, _ := b.CutFile()
	return titleA == titleB && path.Base(fileA) == path.Base(fileB)
}

func isPaired(pairs []Rename, old, renamed engine.TestID) bool {
	for _, p := range pairs {
		if p.Old == old || p.New == renamed {
			return true
		}
	}
	return false
}

// byTitle is everything of an id but its file.
func byTitle([]engine.TestID) func(engine.TestID) string {
	return func(id engine.TestID) string {
		_, title, _ := id.CutFile()
		return title
	}
}

// byNeighbours is the file of an id with the ids before and after it there.
func byNeighbours(order []engine.TestID) func(engine.TestID) string {
	place := map[engine.TestID]string{}
	for i, id := range order {
		file, title, _ := id.CutFile()
		if title == "" {
			continue
		}
		_, environment := id.CutEnvironment()
		place[id] = strings.Join([]string{file, neighbour(order, i, -1, file), neighbour(order, i, 1, file), environment}, "\n")
	}
	return func(id engine.TestID) string { return place[id] }
}

// neighbour returns the id beside order[i] when it is of the same file.
func neighbour(order []engine.TestID, i, step int, file string) string {
	if i += step; i >= 0 && i < len(order) {
		if f, _, ok := order[i].CutFile(); ok && f == file {
			return string(order[i])
		}
	}
	return ""
}
