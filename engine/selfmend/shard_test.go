package selfmend

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Shards as selfmend v0.2 writes them; both workers captured "go" in different forms.
const (
	workerA = `{"version":1,"captures":{"a.spec.ts a.spec.ts > signs in page.locator(#go) 0":{"tag":"button","role":"button","text":"Go","testId":"","attrs":{"type":"submit"},"ordinal":0,"parentTag":"form","neighbourSignature":"|"}},"seen":["a.spec.ts a.spec.ts > signs in page.locator(#go) 0","a.spec.ts a.spec.ts > signs in page.locator(#gone) 0"]}`
	workerB = `{"version":1,"captures":{"a.spec.ts a.spec.ts > signs in page.locator(#go) 0":{"tag":"button","role":"button","text":"Start","testId":"","attrs":{},"ordinal":0,"parentTag":"form","neighbourSignature":"|"},"b.spec.ts b.spec.ts > pays page.getByRole(button,{\"name\":\"Pay\"}) 0":{"tag":"button","role":"button","text":"Pay","testId":"pay","attrs":{"name":"p","aria-label":"Pay"},"ordinal":-1,"parentTag":"form","neighbourSignature":"label|"}},"seen":["b.spec.ts b.spec.ts > pays page.getByRole(button,{\"name\":\"Pay\"}) 0"]}`

	canon = `{
  "version": 1,
  "entries": {
    "a.spec.ts a.spec.ts > signs in page.locator(#go) 0": {
      "tag": "button",
      "role": "button",
      "text": "Zulu",
      "testId": "",
      "attrs": {},
      "ordinal": 0,
      "parentTag": "form",
      "neighbourSignature": "|"
    },
    "a.spec.ts a.spec.ts > signs in page.locator(#gone) 0": {
      "tag": "a",
      "role": "link",
      "text": "Gone",
      "testId": "",
      "attrs": {},
      "ordinal": 1,
      "parentTag": "nav",
      "neighbourSignature": "|"
    },
    "old.spec.ts old.spec.ts > is no more page.locator(#x) 0": {
      "tag": "p",
      "role": "",
      "text": "x",
      "testId": "",
      "attrs": {},
      "ordinal": -1,
      "parentTag": "",
      "neighbourSignature": "|"
    }
  }
}
`
)

func shards(t *testing.T, texts ...string) (all []*Shard) {
	t.Helper()
	for _, text := range texts {
		s, err := ReadShard(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

func baseline(t *testing.T, text string) *Baseline {
	t.Helper()
	b, err := ReadBaseline(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func written(t *testing.T, b *Baseline) string {
	t.Helper()
	var text bytes.Buffer
	if err := b.Write(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestShardsOfWorkersBecomeTheBaselineThatSelfmendWrites(t *testing.T) {
	want, err := os.ReadFile("testdata/merged.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, order := range map[string][]*Shard{
		"in order":     shards(t, workerA, workerB),
		"reversed":     shards(t, workerB, workerA),
		"one twice":    shards(t, workerA, workerB, workerA),
		"older stores": shards(t, workerB, canon, workerA),
	} {
		b := baseline(t, canon)
		b.Refresh(order...)
		if diff := cmp.Diff(string(want), written(t, b)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestARefreshThatChangesNothingWritesTheSameBytes(t *testing.T) {
	b := baseline(t, canon)
	b.Refresh(shards(t, canon, `{"version":1,"captures":{},"seen":["x"]}`)...)
	if diff := cmp.Diff(canon, written(t, b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPruningKeepsWhatWasSeen(t *testing.T) {
	b := baseline(t, canon)
	workers := shards(t, workerA, workerB)
	b.Refresh(workers...)
	b.Prune(workers...)
	got := written(t, b)
	for key, want := range map[string]bool{"page.locator(#go)": true, "page.locator(#gone)": true, "getByRole(button": true, "page.locator(#x)": false} {
		if strings.Contains(got, key) != want {
			t.Errorf("%s is there: %v", key, !want)
		}
	}
}

func TestShardsOfWhichSomethingWouldBeLostAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":           "x",
		"nothing":           "",
		"null":              "null",
		"a list":            "[]",
		"two values":        workerA + workerA,
		"another version":   `{"version":2,"captures":{},"seen":[]}`,
		"an unknown field":  `{"version":1,"captures":{},"seen":[],"more":1}`,
		"raw markup":        `{"version":1,"captures":{"k":{"tag":"p","innerHTML":"<b>"}},"seen":[]}`,
		"no tag":            `{"version":1,"captures":{"k":{"text":"x"}},"seen":[]}`,
		"shard and entries": `{"version":1,"captures":{},"entries":{},"seen":[]}`,
		"neither":           `{"version":1}`,
	} {
		if _, err := ReadShard(strings.NewReader(text)); err == nil {
			t.Errorf("%s was read", name)
		}
	}
	if _, err := ReadBaseline(strings.NewReader(workerA)); err == nil || !strings.Contains(err.Error(), "breadcrumb merge") {
		t.Errorf("a shard was read as a baseline: %v", err)
	}
}

func FuzzReadShard(f *testing.F) {
	f.Add([]byte(workerA), []byte(workerB))
	f.Add([]byte(canon), []byte(workerB))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		one, errA := ReadShard(bytes.NewReader(a))
		two, errB := ReadShard(bytes.NewReader(b))
		if errA != nil || errB != nil {
			return
		}
		var first, second Baseline
		first.Refresh(one, two)
		second.Refresh(two, one)
		text := written(t, &first)
		if other := written(t, &second); other != text {
			t.Fatalf("%s\nand\n%s", text, other)
		}
		first.Prune(one, two)
		if again := written(t, &first); again != text {
			t.Fatalf("what was captured was pruned:\n%s\n%s", text, again)
		}
	})
}
