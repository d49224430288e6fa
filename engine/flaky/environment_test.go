package flaky_test

import (
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/flaky"
)

func TestTroubleOfTheEnvironmentIsTold(t *testing.T) {
	for message, want := range map[string]string{
		"page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:3000/login":                 "connection refused",
		"connect ECONNREFUSED 127.0.0.1:5432":                                                   "connection refused",
		"browserType.launch: Executable doesn't exist at /root/.cache/x":                        "the browser did not start",
		"browserType.launch: Failed to launch chromium because x":                               "the browser did not start",
		"Error: expect(locator).toHaveText(expected) failed. Received: \"Service Unavailable\"": "",
		"AssertionError: 'Connection refused' is not shown":                                     "",
		"SessionNotCreatedException: session not created: Chrome failed":                        "the browser did not start",
		"OSError: [Errno 28] No space left on device":                                           "disk full",
		"Request failed with status code 503: Service Unavailable":                              "the server is not available",
		"502 Bad Gateway":                                                  "the server is not available",
		"getaddrinfo EAI_AGAIN api.shop.test":                              "no connection",
		"page.goto: net::ERR_NETWORK_CHANGED at http://shop.test/":         "no connection",
		"page.goto: net::ERR_PROXY_CONNECTION_FAILED at http://shop.test/": "no connection",
		"page.goto: NS_ERROR_UNKNOWN_HOST":                                 "no connection",
		"socket.gaierror: [Errno -3] Temporary failure in name resolution": "no connection",
		"java.net.UnknownHostException: shop.test":                         "no connection",
		"IOException: There is not enough space on the disk":               "disk full",
		"page.goto: net::ERR_INSUFFICIENT_RESOURCES at http://shop.test/":  "out of memory",
		"java.lang.OutOfMemoryError: Java heap space":                      "out of memory",
		"page.goto: net::ERR_CONNECTION_RESET at http://shop.test/":        "",
		"page.goto: net::ERR_ABORTED at http://shop.test/":                 "",
		"locator.click: Timeout 30000ms exceeded.":                         "",
		"expect(locator).toHaveText: Expected: \"paid\"":                   "",
		"expect(received).toBe(expected) // 500 is not 200":                "",
		"expect(page.getByText('the launch of our browser')) is hidden":    "",
	} {
		if got := flaky.Trouble(flaky.Signature(engine.Attempt{Status: engine.StatusFailed, Message: message})); got != want {
			t.Errorf("%s is %q, want %q", message, got, want)
		}
	}
}

// What the environment broke is no evidence, no clean run and no streak.
func TestTroubleOfTheEnvironmentTeachesNothing(t *testing.T) {
	for _, attempts := range []string{"FP", "FFF"} {
		with, without := newPlayer(), newPlayer()
		for _, p := range []*player{with, without} {
			p.flake()
		}
		for range 4 {
			with.run("", "1 "+attempts+" ECONNREFUSED", "2 "+attempts+" ECONNREFUSED")
		}
		if with.held(2, "") {
			t.Errorf("%s: trouble is evidence", attempts)
		}
		now := with.make("now", "", "1 F E1")
		if why := with.judge.Guard(now, now.Observations[0]); why != "" {
			t.Errorf("%s: after trouble its usual failure blocks: %s", attempts, why)
		}
		a, _ := with.judge.Facts(1)
		if b, _ := without.judge.Facts(1); a.Clean != b.Clean || a.Executions != b.Executions {
			t.Errorf("%s: with trouble %d clean of %d, without %d of %d", attempts, a.Clean, a.Executions, b.Clean, b.Executions)
		}
		now = with.make("now", "", "1 F ECONNREFUSED")
		if why := with.judge.Guard(now, now.Observations[0]); !strings.Contains(why, "trouble of the environment") {
			t.Errorf("%s: trouble is excused, or blocks for another reason: %q", attempts, why)
		}
	}
}
