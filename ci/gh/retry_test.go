package gh_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/ci/gh"
	"github.com/breadcrumb/action/internal/githubtest"
)

func TestWaitsAsGitHubAsks(t *testing.T) {
	t.Parallel()
	day := func(d time.Duration) string { return start.Add(d).UTC().Format(http.TimeFormat) }
	with := func(f githubtest.Fault, header, value string) githubtest.Fault {
		f.Header[header] = value
		return f
	}
	plain429 := githubtest.Fault{Status: 429, Message: "Too many requests", Times: 1}
	tests := []struct {
		name  string
		fault githubtest.Fault
		want  []time.Duration
	}{
		{"Retry-After in seconds", githubtest.SecondaryLimit(403, "7"), []time.Duration{7 * time.Second}},
		{"Retry-After as a date", githubtest.SecondaryLimit(429, day(9*time.Second)), []time.Duration{9 * time.Second}},
		{"Retry-After in the past", githubtest.SecondaryLimit(429, day(-time.Hour)), []time.Duration{time.Second}},
		{"Retry-After before the reset", with(githubtest.PrimaryLimit(start.Add(50*time.Second)), "Retry-After", "3"), []time.Duration{3 * time.Second}},
		{"the reset of a used-up limit", githubtest.PrimaryLimit(start.Add(20 * time.Second)), []time.Duration{21 * time.Second}},
		{"a reset in the past", githubtest.PrimaryLimit(start.Add(-time.Hour)), []time.Duration{time.Second}},
		{"a minute when nothing is asked", githubtest.SecondaryLimit(429, ""), []time.Duration{time.Minute}},
		{"the reset says nothing while requests remain", with(githubtest.SecondaryLimit(403, ""), "X-RateLimit-Reset", "1"), []time.Duration{time.Minute}},
		{"403 known by its words alone", githubtest.Fault{Status: 403, Message: "You have exceeded a secondary rate limit", Times: 1}, []time.Duration{time.Minute}},
		{"403 known by Retry-After alone", githubtest.Fault{Status: 403, Message: "Forbidden", Times: 1, Header: map[string]string{"Retry-After": "5"}}, []time.Duration{5 * time.Second}},
		{"429 without words", plain429, []time.Duration{time.Minute}},
		{"nonsense in Retry-After", githubtest.SecondaryLimit(429, "soon"), []time.Duration{time.Minute}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, githubtest.Options{})
			w.github.Inject(tt.fault)
			if _, err := w.Client.Comments(repo).Create(t.Context(), 12, "text"); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, w.sleeps); diff != "" {
				t.Errorf("waits (-want +got)\n%s", diff)
			}
			if got := bodies(w.github.Comments(repo)); !cmp.Equal(got, []string{"text"}) {
				t.Errorf("comments %q", got)
			}
			if !strings.Contains(w.log.String(), "waiting for GitHub") {
				t.Error("the wait is not logged")
			}
		})
	}
}

func TestWaitingIsCapped(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		fault  githubtest.Fault
		sleeps []time.Duration
	}{
		{"one wait that is too long", githubtest.SecondaryLimit(403, "121"), nil},
		{"a wait beyond all clocks", githubtest.SecondaryLimit(403, "99999999999999999999"), []time.Duration{time.Minute}},
		{"a reset in an hour", githubtest.PrimaryLimit(start.Add(time.Hour)), nil},
		{"backoff that doubles", githubtest.SecondaryLimit(429, ""), []time.Duration{time.Minute}},
		{"many short waits", githubtest.SecondaryLimit(429, "50"), []time.Duration{50 * time.Second, 50 * time.Second}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, githubtest.Options{})
			tt.fault.Times = 0
			w.github.Inject(tt.fault)
			_, err := w.Client.Comments(repo).Create(t.Context(), 12, "text")
			var wait *gh.WaitError
			if !errors.As(err, &wait) || errors.Is(err, gh.ErrNoPermission) {
				t.Errorf("got %v", err)
			}
			if diff := cmp.Diff(tt.sleeps, w.sleeps); diff != "" {
				t.Errorf("waits (-want +got)\n%s", diff)
			}
		})
	}
}

func TestNoWaitIsAskedForEver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Options{})
	fault := githubtest.SecondaryLimit(429, "0")
	fault.Times = 0
	w.github.Inject(fault)
	_, err := w.Client.Comments(repo).Create(t.Context(), 12, "text")
	if err == nil || errors.Is(err, gh.ErrNoPermission) {
		t.Errorf("got %v", err)
	}
	if n := w.github.Count("POST", listPath); n != 6 {
		t.Errorf("%d attempts", n)
	}
}

// go-github would refuse to send anything until the reset it once saw.
func TestALimitThatIsUsedUpIsAskedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Options{})
	last := githubtest.PrimaryLimit(time.Now().Add(time.Hour)) // go-github reads the real clock
	last.Status = http.StatusCreated
	w.github.Inject(last)
	for range 2 {
		if _, err := w.Client.Comments(repo).Create(t.Context(), 12, "text"); err != nil {
			t.Fatal(err)
		}
	}
	if n := w.github.Count("POST", listPath); n != 2 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestFaultsAreRepeatedOnlyWhereThatIsSafe(t *testing.T) {
	t.Parallel()
	drop := func(d githubtest.Drop) githubtest.Fault { return githubtest.Fault{Drop: d, Times: 1} }
	seeded := onePull()
	seeded.Repositories[0].Comments = []githubtest.Comment{{ID: 5, Issue: 12, Author: bot, Body: "old"}}
	list := func(api *gh.IssueComments) error { _, err := api.Comments(t.Context(), 12); return err }
	update := func(api *gh.IssueComments) error { _, err := api.Update(t.Context(), 5, "new"); return err }
	create := func(api *gh.IssueComments) error { _, err := api.Create(t.Context(), 12, "new"); return err }
	self := func(api *gh.IssueComments) error { _, err := api.Self(t.Context()); return err }
	tests := []struct {
		name         string
		method, path string
		fault        githubtest.Fault
		do           func(*gh.IssueComments) error
		wantErr      bool
		attempts     int // at the faulty route
		comments     int
	}{
		{"a list after 502", "GET", listPath, githubtest.ServerError(502), list, false, 2, 1},
		{"a list broken off midway", "GET", listPath, drop(githubtest.DropMidway), list, false, 2, 1},
		{"an update after 503", "PATCH", updatePath, githubtest.ServerError(503), update, false, 2, 1},
		{"an update whose answer is lost", "PATCH", updatePath, drop(githubtest.DropAfter), update, false, 2, 1},
		{"a query, though it is a POST", "POST", "/graphql", githubtest.ServerError(502), self, false, 2, 1},
		{"not what is not implemented", "GET", listPath, githubtest.ServerError(501), list, true, 1, 1},
		{"a new comment is not repeated after 502", "POST", listPath, githubtest.ServerError(502), create, true, 1, 1},
		{"a lost new comment is not repeated", "POST", listPath, drop(githubtest.DropBefore), create, true, 1, 1},
		{"but found when it was written", "POST", listPath, drop(githubtest.DropAfter), create, false, 1, 2},
		{"also when the answer broke off", "POST", listPath, drop(githubtest.DropMidway), create, false, 1, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, githubtest.Options{State: seeded})
			tt.fault.Method, tt.fault.Path = tt.method, tt.path
			w.github.Inject(tt.fault)
			err := tt.do(w.Client.Comments(repo))
			if (err != nil) != tt.wantErr {
				t.Errorf("error %v", err)
			}
			if n := w.github.Count(tt.method, tt.path); n != tt.attempts {
				t.Errorf("%d attempts, want %d", n, tt.attempts)
			}
			if n := len(w.github.Comments(repo)); n != tt.comments {
				t.Errorf("%d comments, want %d", n, tt.comments)
			}
		})
	}
}

func TestFaultsThatLastEndInAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Options{})
	w.github.Inject(githubtest.Fault{Status: 500, Message: "Server Error"})
	_, err := w.Client.Comments(repo).Comments(t.Context(), 12)
	var api *gh.APIError
	if !errors.As(err, &api) || api.Status != 500 {
		t.Errorf("got %v", err)
	}
	want := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second}
	if diff := cmp.Diff(want, w.sleeps); diff != "" {
		t.Errorf("waits (-want +got)\n%s", diff)
	}
}

// refusing fails the first dials as a closed port does.
type refusing struct {
	http.RoundTripper
	left int
}

func (r *refusing) RoundTrip(req *http.Request) (*http.Response, error) {
	if r.left > 0 {
		r.left--
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	}
	return r.RoundTripper.RoundTrip(req)
}

func TestANewCommentIsRepeatedWhenItWasNeverSent(t *testing.T) {
	t.Parallel()
	github := githubtest.New(githubtest.Options{State: onePull()})
	server := httptest.NewServer(github)
	defer server.Close()
	client, err := gh.NewClient(gh.Options{
		Token: token, APIURL: server.URL, Now: func() time.Time { return start },
		HTTP:  &http.Client{Transport: &refusing{http.DefaultTransport, 2}},
		Sleep: func(context.Context, time.Duration) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Comments(repo).Create(t.Context(), 12, "text"); err != nil {
		t.Fatal(err)
	}
	if got := bodies(github.Comments(repo)); !cmp.Equal(got, []string{"text"}) {
		t.Errorf("comments %q", got)
	}
}

// inProcess answers without a network, as a synctest bubble needs it.
type inProcess struct{ http.Handler }

func (h inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	inbound := req.Clone(req.Context())
	if inbound.Body == nil {
		inbound.Body = http.NoBody
	}
	h.ServeHTTP(recorder, inbound)
	return recorder.Result(), nil
}

func TestTheRealSleepWaitsAndEndsWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		github := githubtest.New(githubtest.Options{State: onePull()})
		client, err := gh.NewClient(gh.Options{
			Token: token, APIURL: "https://github.test/", Now: time.Now, HTTP: &http.Client{Transport: inProcess{github}, Timeout: 5 * time.Second},
		})
		if err != nil {
			t.Fatal(err)
		}
		github.Inject(githubtest.SecondaryLimit(429, "40"))
		begin := time.Now()
		if _, err := client.Comments(repo).Create(t.Context(), 12, "text"); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took != 40*time.Second {
			t.Errorf("waited %s", took)
		}
		github.Inject(githubtest.SecondaryLimit(429, "70"))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		begin = time.Now()
		if _, err := client.Comments(repo).Create(ctx, 12, "text"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(begin); took != 10*time.Second {
			t.Errorf("a cancelled wait took %s", took)
		}
	})
}

// hanging never answers.
type hanging struct{}

func (hanging) RoundTrip(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, req.Context().Err()
}

func TestAnAttemptIsLimitedInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, err := gh.NewClient(gh.Options{Token: token, Now: time.Now, HTTP: &http.Client{Transport: hanging{}, Timeout: 3 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		if _, err := client.Comments(repo).Comments(t.Context(), 12); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		if took, want := time.Since(begin), (6*3+1+2+4+8+16)*time.Second; took != want {
			t.Errorf("took %s, want %s", took, want)
		}
	})
}

func TestALongAnswerIsNotRead(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		block := bytes.Repeat([]byte(" "), 1<<20)
		for range 65 {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}))
	defer server.Close()
	client, err := gh.NewClient(gh.Options{Token: token, APIURL: server.URL, Now: func() time.Time { return start }})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Comments(repo).Comments(t.Context(), 12)
	var fault *url.Error
	if !errors.As(err, &fault) || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("got %v", err)
	}
}
