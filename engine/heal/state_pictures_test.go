package heal

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine"
)

func TestAStateKeepsThePicturesThatHaveRoom(t *testing.T) {
	bare, err := NewPage(shop()).State()
	if err != nil {
		t.Fatal(err)
	}
	small, large := []byte("small"), make([]byte, MaxStateBytes)
	joined := JoinPictures(bare, map[string][]byte{"a": large, "b": small, "c": []byte("other")})
	if _, err := ReadState(joined); err != nil || len(joined) > MaxStateBytes {
		t.Fatalf("%d bytes, %v", len(joined), err)
	}
	split, pictures := SplitPictures(joined)
	if diff := cmp.Diff(map[string][]byte{"b": small, "c": []byte("other")}, pictures); diff != "" || !bytes.Equal(split, bare) {
		t.Errorf("the state is the same: %v; pictures (-want +got):\n%s", bytes.Equal(split, bare), diff)
	}
	known := Learned{Fingerprint: engine.Fingerprint{Place: &engine.Place{Path: "b"}}, State: joined}
	if got := known.Picture(); !bytes.Equal(got, small) {
		t.Errorf("the element's picture is %q", got)
	}
	for name, state := range map[string][]byte{"none": bare, "not a state": []byte("x"), "cut": joined[:len(joined)-1], "nothing": nil} {
		if split, pictures := SplitPictures(state); pictures != nil || !bytes.Equal(split, state) {
			t.Errorf("%s: %v", name, pictures)
		}
	}
}

func FuzzSplitPictures(f *testing.F) {
	bare, err := NewPage(shop()).State()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(JoinPictures(bare, map[string][]byte{"a": []byte("small"), "b": nil}))
	f.Add(bare)
	f.Add(append(bytes.Clone(bare), picturesHeader+`{"a":1}`...))
	f.Fuzz(func(t *testing.T, state []byte) {
		split, pictures := SplitPictures(state)
		if !bytes.HasPrefix(state, split) {
			t.Fatal("the state is another one")
		}
		if pictures == nil {
			return
		}
		joined := JoinPictures(split, pictures)
		if len(joined) > max(MaxStateBytes, len(split)) {
			t.Errorf("%d bytes", len(joined))
		}
		before, errBefore := ReadState(split)
		after, errAfter := ReadState(joined)
		if (errBefore == nil) != (errAfter == nil) {
			t.Errorf("%v, with pictures %v", errBefore, errAfter)
		}
		if errBefore == nil && !reflect.DeepEqual(before, after) {
			t.Error("pictures change what is read")
		}
	})
}
