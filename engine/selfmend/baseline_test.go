package selfmend_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine/selfmend"
)

const (
	shardA = `{"version":1,"entries":{"login":{"signs in":{"#go":{"tag":"button","text":"Go"},"#user":{"tag":"input"}}}}}`
	shardB = `{"version":1,"entries":{"login":{"signs in":{"#go":{"tag":"button","text":"Start"}},"signs out":{"#bye":{"tag":"a","attributes":{"id":"bye"}}}}}}`
	shardC = `{"version":1,"entries":{"cart":{"pays":{"#pay":{"tag":"button"}}}}}`

	mergedShards = `{
  "entries": {
    "cart": {
      "pays": {
        "#pay": {
          "tag": "button"
        }
      }
    },
    "login": {
      "signs in": {
        "#go": {
          "tag": "button",
          "text": "Start"
        },
        "#user": {
          "tag": "input"
        }
      },
      "signs out": {
        "#bye": {
          "attributes": {
            "id": "bye"
          },
          "tag": "a"
        }
      }
    }
  },
  "version": 1
}
`
)

func TestBaselinesMergeToTheSameBytesInEveryOrder(t *testing.T) {
	for _, order := range [][]string{{shardA, shardB, shardC}, {shardC, shardB, shardA}, {shardB, shardA, shardC, shardA, mergedShards}} {
		var shards [][]byte
		for _, shard := range order {
			shards = append(shards, []byte(shard))
		}
		got, err := selfmend.MergeBaselines(shards...)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(mergedShards, string(got)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestACommittedBaselineIsRefreshedByEveryShard(t *testing.T) {
	committed := `{"version":1,"entries":{"login":{"signs in":{"#go":{"tag":"button","text":"Zulu"},"#old":{"tag":"p"}}}}}`
	first, err := selfmend.RefreshBaseline([]byte(committed), []byte(shardA), []byte(shardC))
	if err != nil {
		t.Fatal(err)
	}
	second, err := selfmend.RefreshBaseline([]byte(committed), []byte(shardC), []byte(shardA))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(first), string(second)); diff != "" {
		t.Errorf("the order of the shards shows: %s", diff)
	}
	want := `{"version":1,"entries":{"cart":{"pays":{"#pay":{"tag":"button"}}},"login":{"signs in":{"#go":{"tag":"button","text":"Go"},"#old":{"tag":"p"},"#user":{"tag":"input"}}}}}`
	tidy, err := selfmend.MergeBaselines([]byte(want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(tidy), string(first)); diff != "" {
		t.Error(diff)
	}
	again, err := selfmend.RefreshBaseline(first, []byte(shardA), []byte(shardC))
	if err != nil || string(again) != string(first) {
		t.Errorf("refreshed again: %s, %v", again, err)
	}
}

func TestPruningKeepsWhatWasExercised(t *testing.T) {
	got, err := selfmend.PruneBaseline([]byte(mergedShards), []byte(shardA))
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "entries": {
    "login": {
      "signs in": {
        "#go": {
          "tag": "button",
          "text": "Start"
        },
        "#user": {
          "tag": "input"
        }
      }
    }
  },
  "version": 1
}
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestBaselinesThatDoNotFitAreRefused(t *testing.T) {
	for _, second := range []string{`{"version":2,"entries":{}}`, `[]`, `null`, ``, `{"version":1} x`} {
		if got, err := selfmend.MergeBaselines([]byte(shardA), []byte(second)); err == nil {
			t.Errorf("%s: merged to %s", second, got)
		}
	}
}

func FuzzMergeBaselines(f *testing.F) {
	f.Add([]byte(shardA), []byte(shardB))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		one, err := selfmend.MergeBaselines(a, b)
		if err != nil {
			return
		}
		other, err := selfmend.MergeBaselines(b, a)
		if err != nil || string(one) != string(other) {
			t.Fatalf("%s\nand\n%s, %v", one, other, err)
		}
		again, err := selfmend.MergeBaselines(one, a)
		if err != nil || string(again) != string(one) {
			t.Fatalf("merged again\n%s, %v", again, err)
		}
	})
}
