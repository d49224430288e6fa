package comment

import (
	"strings"
	"testing"
)

func TestParseMarkerIsExactAndAtTheStart(t *testing.T) {
	for _, tt := range []struct {
		name, body, want string
		ok               bool
	}{
		{"alone", "<!-- breadcrumb:comment v1 key=default -->", "default", true},
		{"with a body", "<!-- breadcrumb:comment v1 key=e2e.web_1-a -->\n### x", "e2e.web_1-a", true},
		{"a forge that stores CRLF", "<!-- breadcrumb:comment v1 key=a -->\r\n### x", "a", true},
		{"not at the start", "\n<!-- breadcrumb:comment v1 key=default -->\n", "", false},
		{"quoted", "> <!-- breadcrumb:comment v1 key=default -->\n", "", false},
		{"another version", "<!-- breadcrumb:comment v2 key=default -->\n", "", false},
		{"another spelling", "<!--breadcrumb:comment v1 key=default-->\n", "", false},
		{"more on the line", "<!-- breadcrumb:comment v1 key=default --> x\n", "", false},
		{"a second comment on the line", "<!-- breadcrumb:comment v1 key=a --><!-- -->\n", "", false},
		{"no key", "<!-- breadcrumb:comment v1 key= -->\n", "", false},
		{"a key with a space", "<!-- breadcrumb:comment v1 key=a b -->\n", "", false},
		{"a key too long", marker(strings.Repeat("a", 65)), "", false},
		{"unclosed", "<!-- breadcrumb:comment v1 key=a\n-->\n", "", false},
		{"empty", "", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := parseMarker(tt.body); got != tt.want || ok != tt.ok {
				t.Errorf("got %q, %v", got, ok)
			}
		})
	}
}

func TestValidKey(t *testing.T) {
	for key, want := range map[string]bool{
		"default": true, "a": true, "E2E.web_1-a": true, strings.Repeat("k", 64): true, "--": true,
		"": false, "a b": false, "a\n": false, "ü": false, "-->": false, "a/b": false, strings.Repeat("k", 65): false,
	} {
		if got := ValidKey(key); got != want {
			t.Errorf("ValidKey(%q) = %v", key, got)
		}
	}
}

func FuzzParseMarker(f *testing.F) {
	f.Add(marker(DefaultKey) + "\n### x")
	seeds(f)
	f.Fuzz(func(t *testing.T, body string) {
		key, ok := parseMarker(body)
		if !ok {
			if key != "" {
				t.Errorf("key %q of no marker", key)
			}
			return
		}
		if !ValidKey(key) || !strings.HasPrefix(body, marker(key)) {
			t.Errorf("key %q of %q", key, body)
		}
	})
}
