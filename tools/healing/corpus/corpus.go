// Package corpus reads the healing corpus: pairs of one page in two
// versions, and queries whose right answers are known. The format is described
// in the corpus's own README.
package corpus

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/heal"
)

// Pair is one page in two versions and what is asked about it.
type Pair struct {
	ID      string // file name without extension
	Project string
	Old     []heal.Element
	New     []heal.Element
	Queries []Query
}

// Query is one old element whose locator broke.
type Query struct {
	Old    int    `json:"o"`
	Answer *int   `json:"ans"`  // nil: the element is gone
	Also   []int  `json:"also"` // as good as Answer
	Taken  []int  `json:"ex"`   // new elements taken off the page
	Other  string `json:"cand"` // id of the pair whose new page is shown instead
	Gone   string `json:"gone"`
	Same   int    `json:"same"`
}

// Right reports whether healing to new element i is right.
func (q Query) Right(i int) bool {
	return q.Answer != nil && (*q.Answer == i || slices.Contains(q.Also, i))
}

// Read returns the pairs in dir, by id. The error names file and line.
func Read(dir string) ([]Pair, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
	if err != nil {
		return nil, fmt.Errorf("list corpus: %w", err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no *.jsonl.gz files in %s", dir)
	}
	pairs := make([]Pair, len(files)) // Glob sorts
	for i, f := range files {
		if pairs[i], err = readPair(f); err != nil {
			return nil, err
		}
	}
	return pairs, nil
}

func readPair(file string) (Pair, error) {
	id := strings.TrimSuffix(filepath.Base(file), ".jsonl.gz")
	p := Pair{ID: id, Project: strings.SplitN(id, "__", 2)[0]}
	f, err := os.Open(file)
	if err != nil {
		return p, fmt.Errorf("open pair: %w", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return p, fmt.Errorf("read %s: %w", file, err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 16<<20)
	for n := 1; lines.Scan(); n++ {
		if err := p.add(lines.Bytes()); err != nil {
			return p, fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return p, fmt.Errorf("read %s: %w", file, err)
	}
	return p, nil
}

// add reads one line of a pair.
func (p *Pair) add(line []byte) error {
	var k struct {
		K string `json:"k"`
	}
	if err := json.Unmarshal(line, &k); err != nil {
		return err
	}
	switch k.K {
	case "o":
		return appendJSON(&p.Old, line)
	case "n":
		return appendJSON(&p.New, line)
	case "q":
		return appendJSON(&p.Queries, line)
	}
	return nil
}

func appendJSON[T any](list *[]T, line []byte) error {
	var v T
	err := json.Unmarshal(line, &v)
	*list = append(*list, v)
	return err
}
