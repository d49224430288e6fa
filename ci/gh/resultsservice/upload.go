package resultsservice

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
)

// The types of what is uploaded.
const (
	ZipType   = "application/zip"
	BytesType = "application/octet-stream"
)

const (
	// blockBytes is the size of one uploaded block: small enough to be sent
	// well within the time of one attempt.
	blockBytes = 4 << 20
	// blobVersion is the version of Azure's blob service that is spoken.
	blobVersion = "2020-10-02"
)

// Upload sends content to a signed address: blocks, and then the list that makes a
// blob of them, so that one cut off on the way leaves no half blob
// (https://learn.microsoft.com/en-us/rest/api/storageservices/put-block-list).
func (c *Client) Upload(ctx context.Context, address, contentType string, content []byte) error {
	blob, err := url.Parse(address)
	if err != nil || blob.Host == "" {
		return errors.New("upload: the results service named no address")
	}
	var list blockList
	for start := 0; start < len(content) || start == 0; start += blockBytes {
		id := blockID(len(list.Latest))
		block := content[start:min(start+blockBytes, len(content))]
		if err := c.putBlob(ctx, blob, url.Values{"comp": {"block"}, "blockid": {id}}, "", block); err != nil {
			return err
		}
		list.Latest = append(list.Latest, id)
	}
	text, err := xml.Marshal(list)
	if err != nil {
		return fmt.Errorf("upload: %w", err)
	}
	return c.putBlob(ctx, blob, url.Values{"comp": {"blocklist"}}, contentType, append([]byte(xml.Header), text...))
}

// blockList is the body of Put Block List.
type blockList struct {
	XMLName xml.Name `xml:"BlockList"`
	Latest  []string
}

// blockID returns the id of block n: base64, all of one length.
func blockID(n int) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "block-%08d", n))
}

// putBlob sends one PUT to the blob store. The signed address carries the right to
// do so, and no token goes there.
func (c *Client) putBlob(ctx context.Context, blob *url.URL, query url.Values, contentType string, body []byte) error {
	address := *blob
	signed := address.Query()
	maps.Copy(signed, query)
	address.RawQuery = signed.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, address.String(), bytes.NewReader(body))
	if err != nil {
		return errors.New("upload: the results service named no address")
	}
	req.Header.Set("X-Ms-Version", blobVersion)
	if contentType != "" {
		req.Header.Set("X-Ms-Blob-Content-Type", contentType)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("upload: %w", WithoutAddress(err))
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswerBytes))
	if resp.StatusCode != http.StatusCreated {
		return &Error{Method: "upload", Status: resp.StatusCode, Message: http.StatusText(resp.StatusCode)}
	}
	return nil
}
