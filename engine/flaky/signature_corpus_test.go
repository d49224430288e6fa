package flaky_test

import (
	"encoding/xml"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The messages of real reports: a signature holds no digit of the message, says
// something, and different digits do not change it.
func TestSignaturesOfRealMessages(t *testing.T) {
	root := filepath.Join("..", "..", "..", "shared", "corpus", "junit", "dev")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the corpus of reports is not here: ", err)
	}
	messages := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".xml" {
			return err
		}
		for _, message := range failureMessages(t, name) {
			messages++
			s := signature(message)
			if s == "" || strings.ContainsAny(s, "0123456789") {
				t.Errorf("%s: message %q has signature %q", name, message, s)
			}
			if other := signature(strings.Map(otherDigit, message)); other != s && !strings.ContainsAny(message, "abcdefABCDEF") {
				t.Errorf("%s: other digits give %q, not %q", name, other, s)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if messages < 20 {
		t.Errorf("only %d messages were found", messages)
	}
	t.Logf("%d messages", messages)
}

func otherDigit(r rune) rune {
	if '1' <= r && r <= '8' {
		return r + 1
	}
	return r
}

func failureMessages(tb testing.TB, name string) []string {
	tb.Helper()
	f, err := os.Open(name)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	var messages []string
	decoder := xml.NewDecoder(f)
	decoder.Strict = false
	for {
		token, err := decoder.Token()
		if err != nil {
			return messages // a broken report is another test's matter
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "failure" && start.Name.Local != "error" {
			continue
		}
		for _, a := range start.Attr {
			if a.Name.Local == "message" && strings.TrimSpace(a.Value) != "" {
				messages = append(messages, a.Value)
			}
		}
	}
}
