package testcode

import (
	"slices"
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine/patch/internal/source"
)

const feature = `# a comment
@smoke
Feature: Login
  Text with Given in it.

  Background:
    Given I am at "/login"

  Scenario: Signs in
    When I press save
      """
      When this is no step
      """
    And a table
      | When | no |

  Rule: Admins
    Background:
      Given an admin

    Scenario Outline: Pays <much>
      When <who> pays <much>
      * done

      Examples:
        | who | much |
        | Ann | 1    |
        | Bo  | 2    | more |

      Examples:
        | who | much |
        | Cy  | 3    |
`

func TestStepsOfAScenario(t *testing.T) {
	for _, c := range []struct {
		names string
		want  string
	}{
		{"Login › Signs in", `I am at "/login" | I press save | a table`},
		{"Signs in", `I am at "/login" | I press save | a table`},
		{"Login › Admins › Pays <much> › Example #2", `I am at "/login" | an admin | Bo pays 2 | done`},
		{"Login › Admins › Pays <much> › Example #3", `I am at "/login" | an admin | Cy pays 3 | done`},
		{"Login › Admins › Pays <much> › of Ann", `I am at "/login" | an admin | Ann pays 1 | Bo pays 2 | Cy pays 3 | done`},
		{"Login", ""}, {"Login › Signs out", ""}, {"Login › Signs in › Example #1", ""},
	} {
		got, ok := stepsOf([]byte(feature), strings.Split(c.names, " › "))
		if strings.Join(got, " | ") != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, %t", c.names, got, ok)
		}
	}
	if got, ok := stepsOf([]byte("# language: de\n"+feature), []string{"Signs in"}); ok {
		t.Errorf("in German: %q", got)
	}
}

func TestAStepMatchesItsDefinition(t *testing.T) {
	d, _ := source.DialectOf("a.ts")
	for _, c := range []struct {
		pattern string
		matches []string
		not     []string
	}{
		{`'I press save'`, []string{"I press save"}, []string{"I press save twice", "i press save"}},
		{`'I have {int} cucumber(s)'`, []string{"I have 1 cucumber", "I have -3 cucumbers"}, []string{"I have some cucumbers", "I have 1 cucumberx"}},
		{`'I see {string} and {word}'`, []string{`I see "a b" and c`, `I see 'x' and y`}, []string{`I see a and b`, `I see "a" and b c`}},
		{`'{float} user/users logged in/out'`, []string{"1.5 users logged out", "1 user logged in"}, []string{"1 user/users logged in"}},
		{`'the {color} {}'`, []string{"the dark red x", "the red "}, []string{"a red x"}},
		{`'a \\(b\\)'`, []string{"a (b)"}, []string{"a b", "a "}},
		{`/^I (?:press|click) (\w+)$/i`, []string{"I press a", "i CLICK b"}, []string{"I press a b"}},
		{`/pay(?=s)/`, []string{"anything"}, nil},
		{"`I ${x}`", []string{"anything"}, nil},
		{`name`, []string{"anything"}, nil},
	} {
		src, err := source.New("a.ts", d, []byte("When("+c.pattern+", () => { go(); });\n"))
		if err != nil {
			t.Fatal(err)
		}
		own := func(step string) bool {
			id := Identity{Names: []string{"y"}, Scenario: &Scenario{Steps: []string{step}, Known: true, ran: map[string]bool{}}}
			return len(FindBodies(src, id).Own) == 1
		}
		for _, step := range c.matches {
			if !own(step) {
				t.Errorf("%s does not match %q", c.pattern, step)
			}
		}
		if i := slices.IndexFunc(c.not, own); i >= 0 {
			t.Errorf("%s matches %q", c.pattern, c.not[i])
		}
	}
}

func FuzzFeature(f *testing.F) {
	f.Add(feature, "Signs in", "Example #2")
	f.Add("Scenario Outline: a\nGiven <b>\nExamples:\n|b|\n|<b><b>|\n|", "a", "")
	f.Fuzz(func(t *testing.T, text, first, last string) {
		for _, names := range [][]string{{first}, {first, last}} {
			steps, _ := stepsOf([]byte(text), names)
			if len(steps) > maxFeature {
				t.Errorf("%d steps", len(steps))
			}
		}
		_ = expressionPattern(text)
	})
}
