package proxy

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/store/sqlite"
)

// learnedBy returns which of the tests of pages 1 to 3 have their element in a database.
func learnedBy(t *testing.T, file string) (tests []string) {
	t.Helper()
	db, err := sqlite.OpenReading(t.Context(), file, sqlite.Options{})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	must(t, err)
	for _, id := range []string{"page@1", "page@2", "page@3"} {
		_, _, known, err := db.LoadFingerprint(t.Context(), engine.NewTestID(id), "#a")
		must(t, err)
		if known {
			tests = append(tests, id)
		}
	}
	must(t, db.Close())
	return tests
}

// Tests end one after the other, on a page each. The first two are saved together after a
// pause, and the last with the connection, or with what saves for several.
func TestTestsThatEndTogetherAreSavedTogether(t *testing.T) {
	t.Run("one connection", func(t *testing.T) { checkSaves(t, false) })
	t.Run("one of several", func(t *testing.T) { checkSaves(t, true) })
}

func checkSaves(t *testing.T, shared bool) {
	t.Helper()
	const found = `{"id":ID,"result":{"value":{"s":"{\"target\":1,\"at\":\"http://shop.example/\"}\n[{\"p\":-1,\"t\":\"body\",\"a\":[],\"v\":1},{\"p\":0,\"t\":\"a\",\"a\":[[\"id\",\"a\"]],\"x\":\"Pay\",\"b\":[0,0,10,10],\"v\":1}]"}}}`
	synctest.Test(t, func(t *testing.T) {
		o := Options{Live: quiet(t), TestOf: func(c Call) Test { return Test{ID: c.Page} }}
		if shared {
			o.Saver = NewSaver()
		}
		client, clientSide := ends()
		conn, driverSide := ends()
		ended := make(chan error, 1)
		go func() { ended <- Relay(t.Context(), clientSide, driverSide, o) }()
		serve(t, conn, func(own bool, method string) string {
			switch {
			case method == "registerSelectorEngine":
				return strings.Replace(noAnswer, "the frame was detached", "no such method", 1)
			case own:
				return found
			}
			return done
		})
		awaitWorld(t, client)
		seen := readAhead(client)
		use := func(n int) {
			t.Helper()
			of := strings.NewReplacer("frame@1", fmt.Sprint("frame@", n), "page@1", fmt.Sprint("page@", n))
			if n > 1 {
				for _, text := range world[3:] {
					must(t, conn.Send([]byte(of.Replace(text))))
					receive(t, seen)
				}
			}
			must(t, client.Send([]byte(of.Replace(string(clickOf(n, 5000))))))
			receive(t, seen)
			synctest.Wait()
			must(t, conn.Send([]byte(of.Replace(`{"guid":"page@1","method":"__dispose__","params":{}}`))))
			receive(t, seen)
			synctest.Wait()
		}
		check := func(when string, want ...string) {
			t.Helper()
			if got := learnedBy(t, o.Live.DB); !slices.Equal(got, want) {
				t.Errorf("%s: saved %q, want %q", when, got, want)
			}
		}
		use(1)
		check("the first test ended")
		use(2)
		check("the second one ended")
		time.Sleep(savePause)
		synctest.Wait()
		check("after the pause", "page@1", "page@2")
		use(3)
		check("the third one ended", "page@1", "page@2")
		_, _ = client.Close(), conn.Close()
		<-ended
		if shared {
			check("the connection ended", "page@1", "page@2")
			o.Saver.Close()
		}
		check("the end", "page@1", "page@2", "page@3")
	})
}
