package heal

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"io"
	"maps"
	"slices"
)

// picturesHeader begins the pictures behind a page state. Who reads states without
// pictures ends before it.
const picturesHeader = "\nbcpics1\n"

// SplitPictures returns a page state without the pictures of its elements, and those: small
// files of anybody's, by the Path of the element's Place. A state that holds none, or none
// that can be read, is returned as it is.
func SplitPictures(state []byte) (bare []byte, pictures map[string][]byte) {
	rest, ok := bytes.CutPrefix(state, []byte(stateHeader))
	if !ok {
		return state, nil
	}
	r := bytes.NewReader(rest)
	if n, err := io.Copy(io.Discard, io.LimitReader(flate.NewReader(r), maxStateRaw+1)); err != nil || n > maxStateRaw {
		return state, nil
	}
	bare = state[:len(state)-r.Len()]
	packed, ok := bytes.CutPrefix(state[len(bare):], []byte(picturesHeader))
	if !ok || json.Unmarshal(packed, &pictures) != nil {
		return state, nil
	}
	return bare, pictures
}

// JoinPictures returns a page state that holds pictures as well, as many as have room in
// MaxStateBytes, in the order of their paths. The state holds none yet.
func JoinPictures(bare []byte, pictures map[string][]byte) []byte {
	kept, size := map[string][]byte{}, len(bare)+len(picturesHeader)+len("{}")
	for _, path := range slices.Sorted(maps.Keys(pictures)) {
		one, err := json.Marshal(map[string][]byte{path: pictures[path]})
		if more := len(one) - len("{}") + len(","); err == nil && size+more <= MaxStateBytes {
			kept[path], size = pictures[path], size+more
		}
	}
	packed, err := json.Marshal(kept)
	if err != nil || len(kept) == 0 {
		return bare
	}
	return slices.Concat(bare, []byte(picturesHeader), packed)
}

// Picture returns the picture of the element that was learned with it, nil for none. It is
// anybody's.
func (l Learned) Picture() []byte {
	if l.Fingerprint.Place == nil || l.State == nil {
		return nil
	}
	_, pictures := SplitPictures(l.State)
	return pictures[l.Fingerprint.Place.Path]
}
