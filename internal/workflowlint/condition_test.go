package workflowlint

import "testing"

func TestAConditionHoldsInASituation(t *testing.T) {
	tag := situation{event: "push", ref: "refs/tags/", refType: "tag"}
	for _, c := range []struct {
		condition string
		want      bool
	}{
		{"", true},
		{"true", true},
		{"false", false},
		{"${{ false }}", false},
		{"${{ false }} && x", true}, // a text
		{"always()", true},
		{"failure()", true},
		{"github.event_name == 'push'", true},
		{"github.event_name == 'PUSH'", true},
		{"github.event_name != 'push'", false},
		{"'push' == github.event_name", true},
		{"!(github.event_name == 'push')", false},
		{"github.event_name == github.actor", true},
		{"github.event_name < 'push'", true},
		{"startsWith(github.ref, 'refs/tags/')", true},
		{"startsWith(github.ref, 'refs/tags/v1')", true},
		{"!startsWith(github.ref, 'refs/tags/v1')", true},
		{"!startsWith(github.ref, 'refs/')", false},
		{"startsWith(github.ref, 'refs/heads/')", false},
		{"startsWith('a', github.ref)", true},
		{"github.ref == 'refs/heads/main'", false},
		{"github.ref == 'refs/tags/v1'", true},
		{"github.ref != 'refs/tags/v1'", true},
		{"github.ref_type == 'branch'", false},
		{"github.actor == 'me' && github.ref_type == 'branch'", false},
		{"github.actor == 'me' || github.ref_type == 'branch'", true},
		{"!(github.actor == 'me' || github.ref_type == 'tag')", false},
		{"github.actor && github.event_name == 'push'", true},
		{"(github.actor || 'x') == 'y'", true},
		{"null", false},
		{"0", false},
		{"'it''s' == 'it''s'", true},
		{"(github.ref_type)", true},
		{"(github.event).name == 'x'", true},
		{"fromJSON('[]')", true},
		{"==", true},
	} {
		if got := tag.mayHold(c.condition); got != c.want {
			t.Errorf("%s: %t, want %t", c.condition, got, c.want)
		}
	}
}

func TestABranchFilterSaysHowItsNamesBegin(t *testing.T) {
	for pattern, want := range map[string]string{"main": "main", "v1?": "v", "v1+": "v1", "*": "", "releases/**": "releases/", "v[0-9]": "v", "?": ""} {
		if got := plainStart(pattern); got != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}
