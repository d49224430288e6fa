package githubtest_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/breadcrumb/action/internal/githubtest"
)

func TestRequestsBeyondTheHourlyLimitAreRefusedUntilItsEnd(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	with := state()
	with.RateLimit = 2
	server := httptest.NewServer(githubtest.New(githubtest.Options{State: with, Now: func() time.Time { return now }}))
	defer server.Close()
	get := func() (status int, remaining, reset string) {
		t.Helper()
		req, err := http.NewRequest(http.MethodGet, server.URL+shop+"/pulls/12", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer job")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return resp.StatusCode, resp.Header.Get("X-RateLimit-Remaining"), resp.Header.Get("X-RateLimit-Reset")
	}
	for i, want := range []struct {
		status    int
		remaining string
	}{{200, "1"}, {200, "0"}, {403, "0"}, {403, "0"}} {
		if status, remaining, reset := get(); status != want.status || remaining != want.remaining || reset != "1767229200" {
			t.Errorf("request %d: %d, %s remaining until %s", i+1, status, remaining, reset)
		}
	}
	now = now.Add(time.Hour)
	if status, remaining, _ := get(); status != http.StatusOK || remaining != "1" {
		t.Errorf("an hour later: %d, %s remaining", status, remaining)
	}
}
