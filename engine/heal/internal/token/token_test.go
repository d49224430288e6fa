package token

import (
	"slices"
	"strings"
	"testing"
)

func TestStableClassDropsBuildHashes(t *testing.T) {
	for class, want := range map[string]string{
		"btn": "btn", "Button_root__x3Yz9": "Button_root", "css-1a2b3c4": "css", "col-md-6": "col-md-6", "h1z9q8": "", "card-title": "card-title",
		"icon21": "icon21", "mt-2": "mt-2",
	} {
		if got := strings.Join(slices.Collect(Classes(class)), " "); got != want {
			t.Errorf("%s: %q, want %q", class, got, want)
		}
	}
}
