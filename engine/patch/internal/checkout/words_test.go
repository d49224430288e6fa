package checkout

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine/patch/internal/source"
)

func TestTheIndexFindsWhatReadingEveryFileFinds(t *testing.T) {
	random := rand.New(rand.NewSource(7))
	letters := []rune("abAB1_ #.-é\"\\\n")
	text := func(n int) string {
		var out strings.Builder
		for range n {
			out.WriteRune(letters[random.Intn(len(letters))])
		}
		return out.String()
	}
	src := fstest.MapFS{}
	for i := range 40 {
		src[fmt.Sprintf("a/f%d.ts", i)] = &fstest.MapFile{Data: []byte(text(60))}
		src[fmt.Sprintf("a/f%d.py", i)] = &fstest.MapFile{Data: []byte(text(60))}
	}
	tree := New(src)
	script, _ := source.DialectOf(".ts")
	for range 500 {
		looked := text(1 + random.Intn(5))
		var with, naming, scripts []string
		for _, file := range tree.Files() {
			if bytes.Contains(src[file].Data, []byte(looked)) {
				with = append(with, file)
			}
			if source.ContainsWord(src[file].Data, looked) {
				naming = append(naming, file)
				if strings.HasSuffix(file, ".ts") {
					scripts = append(scripts, file)
				}
			}
		}
		if got := tree.FilesWith(tree.Files(), looked); !slices.Equal(got, with) {
			t.Errorf("with %q: %q, want %q", looked, got, with)
		}
		if got := tree.FilesNaming(tree.Files(), looked); !slices.Equal(got, naming) {
			t.Errorf("naming %q: %q, want %q", looked, got, naming)
		}
		if got := tree.AllNaming(script, looked); !slices.Equal(got, scripts) {
			t.Errorf("all naming %q: %q, want %q", looked, got, scripts)
		}
	}
}

func TestAnIndexOfManyWordsKeepsEachApart(t *testing.T) {
	src := fstest.MapFS{}
	for i := range 100 {
		var text strings.Builder
		for k := range 50 {
			fmt.Fprintf(&text, "word%d_%d ", i, k)
		}
		src[fmt.Sprintf("f%03d.ts", i)] = &fstest.MapFile{Data: []byte(text.String())}
	}
	tree := New(src)
	script, _ := source.DialectOf(".ts")
	for i := range 100 {
		want := []string{fmt.Sprintf("f%03d.ts", i)}
		if got := tree.AllNaming(script, fmt.Sprintf("word%d_%d", i, i%50)); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestWhatIsForgottenIsReadAgain(t *testing.T) {
	src := fstest.MapFS{}
	for i := range 16 {
		src[fmt.Sprintf("f%02d.ts", i)] = &fstest.MapFile{Data: []byte(strings.Repeat("f(x);\n", 5000))}
	}
	tree := New(src)
	most := 0
	for range 2 {
		for _, file := range tree.Files() {
			tree.Trim()
			if s, err := tree.Load(file); err != nil || s.Path != file || len(tree.Bytes(file)) != 30_000 {
				t.Fatal(file, err)
			}
			most = max(most, len(tree.loaded))
		}
	}
	if most == 16 || tree.textBytes > maxTexts {
		t.Errorf("%d files and %d bytes are remembered", most, tree.textBytes)
	}
}
