package githubtest

import (
	"net/http"
	"strconv"
	"time"
)

// window is the hour that requests are counted in.
type window struct {
	reset time.Time
	used  int
}

// spend counts a request and sets the headers that every answer of GitHub has.
// It returns the answer to a request beyond the limit, nil for others.
func (s *Server) spend(h http.Header) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit, now := s.state.RateLimit, s.options.Now()
	if limit == 0 {
		limit = 5000
	}
	if !now.Before(s.window.reset) {
		s.window = window{reset: now.Add(time.Hour)}
	}
	over := s.window.used >= limit
	if !over {
		s.window.used++
	}
	h.Set("X-RateLimit-Limit", strconv.Itoa(limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(limit-s.window.used))
	h.Set("X-RateLimit-Used", strconv.Itoa(s.window.used))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(s.window.reset.Unix(), 10))
	h.Set("X-GitHub-Request-Id", "0000:TEST")
	if !over {
		return nil
	}
	f := PrimaryLimit(s.window.reset)
	return &f
}
