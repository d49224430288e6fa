package githubtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"io"
	"net/http"
	"net/url"
	"time"
)

// blob is what was uploaded to one path of the blob store.
type blob struct {
	blocks  map[string][]byte
	content []byte
	kind    string // content type
	done    bool   // finished by the results service
	expires time.Time
}

// signed returns the address of a blob with the right to read or to write it.
func (s *Server) signed(path, right string) string {
	return s.storage + path + "?" + url.Values{"sig": {signature(path, right)}, "sp": {right}}.Encode()
}

func signature(path, right string) string {
	sum := sha256.Sum256([]byte("secret " + right + " " + path))
	return hex.EncodeToString(sum[:])
}

// serveBlob answers as Azure's blob store does to a signed address, and
// refuses a request that brings a token too.
func (s *Server) serveBlob(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	query := r.URL.Query()
	right := "r"
	if r.Method == http.MethodPut {
		right = "w"
	}
	b := s.uploads[r.URL.Path]
	switch {
	case r.Header.Get("Authorization") != "":
		w.WriteHeader(http.StatusBadRequest)
	case query.Get("sp") != right || query.Get("sig") != signature(r.URL.Path, right):
		w.WriteHeader(http.StatusForbidden)
	case b == nil:
		w.WriteHeader(http.StatusNotFound)
	case r.Method == http.MethodPut:
		b.put(w, r)
	default:
		b.get(w, r)
	}
}

// put takes a block, the list of the blocks, or the whole blob.
func (b *blob) put(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || b.done {
		w.WriteHeader(http.StatusConflict)
		return
	}
	query := r.URL.Query()
	switch query.Get("comp") {
	case "block":
		if b.blocks == nil {
			b.blocks = map[string][]byte{}
		}
		b.blocks[query.Get("blockid")] = body
	case "blocklist":
		var list struct{ Latest []string }
		if xml.Unmarshal(body, &list) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		var content []byte
		for _, id := range list.Latest {
			block, known := b.blocks[id]
			if !known {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			content = append(content, block...)
		}
		b.content, b.kind = content, r.Header.Get("X-Ms-Blob-Content-Type")
	case "":
		if r.Header.Get("X-Ms-Blob-Type") != "BlockBlob" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		b.content, b.kind = body, r.Header.Get("X-Ms-Blob-Content-Type")
	}
	azureHeaders(w.Header(), b)
	w.WriteHeader(http.StatusCreated)
}

// get answers the blob or the asked range of it.
func (b *blob) get(w http.ResponseWriter, r *http.Request) {
	if asked := r.Header.Get("X-Ms-Range"); asked != "" {
		r.Header.Set("Range", asked)
	}
	azureHeaders(w.Header(), b)
	w.Header().Set("Content-Type", b.kind)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b.content))
}

// azureHeaders are those that Azure's own client looks for.
func azureHeaders(h http.Header, b *blob) {
	sum := sha256.Sum256(b.content)
	h.Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`)
	h.Set("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
	h.Set("X-Ms-Blob-Type", "BlockBlob")
	h.Set("X-Ms-Request-Id", "00000000-0000-0000-0000-000000000000")
	h.Set("X-Ms-Version", "2020-10-02")
}
