package heal

import (
	"bytes"
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
