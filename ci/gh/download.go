package gh

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/breadcrumb/action/state"
)

// errRefused is wrapped by the error of a download whose signed address is no
// longer good.
var errRefused = errors.New("the storage refused the signed address")

// download fills s from a signed address. It sends no token, follows no
// redirect, and its errors do not hold the address, which is as good as a
// password.
func (c *Client) download(ctx context.Context, address string, s *spool) error {
	req, err := http.NewRequestWithContext(withSpool(ctx, s), http.MethodGet, address, nil)
	if err != nil || req.URL.Host == "" {
		return errors.New("download: GitHub named no address")
	}
	resp, err := c.unfollowed().Do(req)
	if err != nil {
		return fmt.Errorf("download: %w", withoutAddress(err))
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("download: %w with status %d", errRefused, resp.StatusCode)
	case http.StatusNotFound, http.StatusGone:
		return fmt.Errorf("download: %w", state.ErrGone)
	}
	return fmt.Errorf("download: the storage answered %d", resp.StatusCode)
}

// unfollowed returns the client's sender, which then returns a redirect
// instead of following it.
func (c *Client) unfollowed() *http.Client {
	sender := *c.http
	sender.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &sender
}

// withoutAddress takes the address off an error of net/http.
func withoutAddress(err error) error {
	var with *url.Error
	if errors.As(err, &with) {
		return with.Err
	}
	return err
}
