package locator

import (
	"strings"
	"testing"

	"github.com/breadcrumb/action/engine"
)

func element(tag string, pairs ...string) engine.Fingerprint {
	f := engine.Fingerprint{Tag: tag}
	for i := 0; i+1 < len(pairs); i += 2 {
		switch pairs[i] {
		case "text":
			f.Text = pairs[i+1]
		case "role":
			f.Role = pairs[i+1]
		case "accname":
			f.Name = pairs[i+1]
		case "label":
			f.Label = pairs[i+1]
		default:
			f.Attributes = append(f.Attributes, engine.Attribute{Name: pairs[i], Value: pairs[i+1]})
		}
	}
	return f
}

func TestReplacementKeepsTheAuthorsForm(t *testing.T) {
	login := element("button", "id", "sign-in", "data-testid", "login", "text", "sign in", "accname", "Sign in", "name", "go", "title", "Go in")
	cases := []struct {
		name, old, healed string
		element           engine.Fingerprint
		want              string
	}{
		{"css by test id", "#login-btn", "", login, `[data-testid="login"]`},
		{"css keeps the author's quotes", "[id='x']", "", login, `[data-testid='login']`},
		{"css by id", "#login-btn", "", element("a", "id", "sign-in", "name", "go"), `#sign-in`},
		{"css by an awkward id", "#login-btn", "", element("a", "id", `a"b\c.d`), `[id="a\"b\\c.d"]`},
		{"css by name", "#login-btn", "", element("input", "name", "q"), `[name="q"]`},
		{"css by another test attribute", "#login-btn", "", element("a", "data-cy", "in", "id", "x"), `[data-cy="in"]`},
		{"css by placeholder", "#login-btn", "", element("input", "placeholder", "Mail", "id", "x"), `[placeholder="Mail"]`},
		{"css by aria-label", ".close", "", element("button", "aria-label", "Close", "id", "x"), `[aria-label="Close"]`},
		{"xpath", `//a[@id="x"]`, "", element("a", "id", "sign-in"), `//*[@id="sign-in"]`},
		{"xpath by name", `xpath=//a[@id="x"]`, "", element("a", "data-testid", `a"b`), `xpath=//*[@data-testid='a"b']`},
		{"id engine", `id=x`, "", login, `id=sign-in`},
		{"test id", `internal:testid=[data-testid="x"s]`, "", login, `internal:testid=[data-testid="login"s]`},
		{"seed test id", `test-id=x`, "", login, `test-id=login`},
		{"printed test id", `getByTestId("x")`, "", login, `getByTestId('login')`},
		{"python test id", `page.get_by_test_id("x")`, "", login, `page.get_by_test_id("login")`},
		{"role", `internal:role=button[name="Log in"i]`, "", login, `internal:role=button[name="Sign in"i]`},
		{"seed role", `role=button[name="Log in"]`, "", login, `role=button[name="Sign in"]`},
		{"loose role by its text", `internal:role=button[name="Log in"i]`, "", element("button", "text", "sign in"), `internal:role=button[name="sign in"i]`},
		{"label", `internal:label="A"i`, "", element("input", "label", "E-mail"), `internal:label="E-mail"i`},
		{"placeholder", `internal:attr=[placeholder="A"i]`, "", element("input", "placeholder", `B"c`), `internal:attr=[placeholder="B\"c"i]`},
		{"alt", `internal:attr=[alt="A"s]`, "", element("img", "alt", "Logo"), `internal:attr=[alt="Logo"s]`},
		{"title", `internal:attr=[title="A"i]`, "", login, `internal:attr=[title="Go in"i]`},
		{"text in the case of the name", `text=Log in`, "", login, `text=Sign in`},

		{"proven css", "#login-btn", "#go", login, "#go"},
		{"proven test id as css", "#login-btn", `internal:testid=[data-testid="go"s]`, login, `[data-testid="go"]`},
		{"proven test id of another attribute as css", "#login-btn", `internal:testid=[data-qa="go"s]`, login, `[data-qa="go"]`},
		{"proven css as test id", "test-id=x", `[data-testid="go"]`, login, "test-id=go"},
		{"proven css as id", "id=x", `#go`, login, "id=go"},
		{"proven css as xpath", "//a", `#go`, login, `//*[@id="go"]`},
		{"proven part of a chain", "#a >> test-id=b", `#a >> [data-testid="c"]`, login, "#a >> test-id=c"},
		{"proven exact name for an exact one", `internal:role=button[name="A"s]`, `internal:role=button[name="B"s]`, login, `internal:role=button[name="B"s]`},
		{"proven loose name that is the whole name", `internal:role=button[name="A"s]`, `internal:role=button[name="Sign in"i]`, login, `internal:role=button[name="Sign in"s]`},
		{"proven path, hook known", "#login-btn", "body > div > button:nth-child(2)", element("a", "id", "sign-in"), "#sign-in"},
		{"proven role, id known", "#login-btn", `internal:role=button[name="Sign in"i]`, element("button", "id", "sign-in"), "#sign-in"},
		{"quotes alone", `"Click"`, "", element("button", "text", "press", "accname", "Press"), `"Press"`},
		{"quotes alone in a chain", `li >> 'Save'`, `li >> "It's"`, login, `li >> 'It\'s'`},
		{"quoted text", `text="Click"`, "", element("button", "text", "press", "accname", "Press"), `text="Press"`},
		{"author's own nth-child stays", "li:nth-child(2) .a", "li:nth-child(2) .b", login, "li:nth-child(2) .b"},
		{"author's own class stays", ".css-1x2y3z .a", ".css-1x2y3z .b", login, ".css-1x2y3z .b"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, why := Replacement(engine.HealEvent{Locator: c.old, HealedLocator: c.healed, Healed: c.element})
			if got.String() != c.want || why != "" {
				t.Errorf("%s (%s), want %s", got, why, c.want)
			}
		})
	}
}

func TestReplacementSaysWhyNot(t *testing.T) {
	cases := []struct {
		name, old, healed string
		element           engine.Fingerprint
		because, instead  string
	}{
		{"nothing to go by", "#a", "", element("div", "class", "x"), "no stable test id", ""},
		{"no name of the role", `role=button[name="A"]`, "", element("a", "href", "#", "id", "b"), "no stable button name", "#b"},
		{"quotes alone from lower-cased text", `"Click"`, "", element("button", "text", "press"), "no stable text", ""},
		{"loose name for an exact one", `role=button[name="Go"]`, `internal:role=button[name="start"i]`, element("button", "text", "start now", "accname", "Start now"), "", ""},
		{"text of an element for that of a text node", `text="Close"`, `internal:text="Shut"s`, element("b", "text", "shut"), "text node", ""},
		{"exact role from lower-cased text", `role=button[name="Log in"]`, "", element("button", "text", "sign in"), "no stable button name", `internal:role=button[name="sign in"i]`},
		{"role for css", "#a", "", element("button", "accname", "Sign in"), "no stable test id, id", `internal:role=button[name="Sign in"i]`},
		{"generated id only", "#a", "", element("div", "id", "radix-:r1:"), "no stable test id", ""},
		{"chain without proof", "#a >> #b", "", element("a", "id", "c"), "which part", "#c"},
		{"radio name", "#a", "", element("input", "type", "radio", "name", "size"), "no stable", ""},
		{"exact text from lower-cased text", `internal:text="A"s`, "", element("p", "text", "hello"), "no stable text", `internal:text="hello"i`},
		{"hidden characters", "#a", "", element("a", "data-testid", "a\u200bb"), "no stable", ""},
		{"role, no better hook kept", "#a", `internal:text="Hi"i`, element("a", "data-testid", "b"), "found by text", `internal:text="Hi"i`},
		{"unreadable", "#a", "#b >> ", element("a"), "cannot be read", ""},
		{"same", "#a", "#a", element("a"), "equals the old one", "#a"},
		{"old unreadable", "", "#a", element("a"), "empty", ""},
		{"regular expression", "text=/a|c/", "text=b", element("a"), "regular expression", "text=b"},
		{"nth", "li >> nth=1", "li >> nth=2", element("a"), "not a value", "li >> nth=2"},
		{"conditions", `internal:role=button[name="A"i][pressed=true]`, `internal:role=button[name="A"i]`, element("a"), "conditions changed", ""},
		{"free text with an arrow", "data-testid=a", `[data-testid="a >> b"]`, element("a"), "cannot be written", ""},
		{"quotes of both kinds in xpath", "//a", `[id="a'b"]`, element("a", "id", `x'"y`), "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, why := Replacement(engine.HealEvent{Locator: c.old, HealedLocator: c.healed, Healed: c.element})
			if c.because == "" {
				if why != "" {
					t.Errorf("refused: %s", why)
				}
				return
			}
			if !strings.Contains(why, c.because) || c.instead != "" && got.String() != c.instead {
				t.Errorf("%q with %s, want %q with %s", why, got, c.because, c.instead)
			}
		})
	}
}

func TestTestIDAttributeIsTheProjectsOwn(t *testing.T) {
	h := engine.HealEvent{
		Locator:  "test-id=old",
		Original: element("a", "data-qa", "old", "data-testid", "other"),
		Healed:   element("a", "data-qa", "new", "data-testid", "wrong"),
	}
	if got, why := Replacement(h); got.String() != "test-id=new" || why != "" {
		t.Errorf("%s, %s", got, why)
	}
	h.HealedLocator = `[data-testid="wrong"]`
	if got, why := Replacement(h); why == "" && got.String() == "test-id=wrong" {
		t.Errorf("took the value of another attribute: %s", got)
	}
}

func TestTestIDAttributeIsTheOneThatALocatorNames(t *testing.T) {
	field := element("input", "data-qa", "amount", "data-test-id", "amount")
	for _, c := range []struct{ name, old, healed, want string }{
		{"around the element", `internal:testid=[data-test-id="old"s] >> input`, `internal:testid=[data-test-id="new"s] >> input`, `internal:testid=[data-test-id="new"s] >> input`},
		{"of the element around a position", `internal:testid=[data-test-id="old"s] >> nth=1`, `internal:testid=[data-test-id="new"s] >> nth=1`, `internal:testid=[data-test-id="new"s] >> nth=1`},
		{"of the element, beside another one with the value", `internal:testid=[data-test-id="amount"s]`, `internal:testid=[data-test-id="sum"s]`, `internal:testid=[data-test-id="sum"s]`},
		{"another one in the proof", `internal:testid=[data-test-id="old"s] >> input`, `internal:testid=[data-testid="new"s] >> input`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, why := Replacement(engine.HealEvent{Locator: c.old, HealedLocator: c.healed, Original: field, Healed: element("input")})
			if (why == "") != (c.want != "") || why == "" && got.String() != c.want {
				t.Errorf("got %s, %s, want %s", got, why, c.want)
			}
		})
	}
}

func TestGenerated(t *testing.T) {
	machine := []string{
		":r1:", ":R2lt:", "«r3»", "_r_4_", "radix-:r1:", "radix-12", "headlessui-menu-button-3", "ember123", "mui-42",
		"mat-input-7", "mat-mdc-form-field-label-4", "cdk-overlay-2", "jss42", "sc-bdVaJa", "css-1x2y3z", "svelte-1tky8bj",
		"Button_primary__x7Ab2", "_button_x7ab2_12", "react-select-3-input", "rc_select_0", "select2-country-container",
		"550e8400-e29b-41d4-a716-446655440000", "row-48213", "a1b2c3d4e5f6", "el-id-1024-3", "input-12", "x7Kd92Qp",
		"downshift-0-label", "yui_3_17_2_1", "gwt-uid-12", "ui-id-4", "makeStyles-root-12", "item-9f86d081", "task-add-textarea-g1wcxurlz", "field_k3v9x0qzt", "xqzjvkwptb",
	}
	author := []string{
		"login", "login-btn", "loginBtnV2", "sign-in", "step1", "h1Title", "card__title", "card__title--active", "user-menu",
		"address-line-2", "nav_2", "submitButton", "data", "q", "email-input", "decade", "feedback", "tab2", "iPhone15",
		"level2b", "address2line", "s3bucket", "oauth2login", "submitformbutton", "przycisk", "schaltflaeche", "USERNAME", "block__elementName", "sha256", "OK",
	}
	for _, name := range machine {
		if !Generated(name) {
			t.Errorf("%q passed as an author's name", name)
		}
	}
	for _, name := range author {
		if Generated(name) {
			t.Errorf("%q was taken for a generated name", name)
		}
	}
}

func FuzzReplacement(f *testing.F) {
	f.Add("#a", `[data-testid="b"]`, "x", "getByTestId")
	f.Add(`role=button[name="a"]`, "", `"]`, "")
	f.Add(`internal:attr=[title="a"i]`, "", "\\", "")
	f.Add("css=", "css=a", "b", "")
	f.Fuzz(func(t *testing.T, old, healed, value, api string) {
		h := engine.HealEvent{Locator: old, HealedLocator: healed, API: api, Healed: element("button", "data-testid", value, "id", value, "accname", value, "title", value)}
		got, why := Replacement(h)
		if why != "" || got.IsZero() {
			return
		}
		before, _ := Of(h)
		if at, _ := Differing(before, got); at < 0 {
			t.Fatalf("%s for %s changes nothing", got, before)
		}
		if len(before.Parts) != 1 || before.notation != notationEngine || before.Parts[0].Kind == KindOther {
			return
		}
		again, err := Parse(got.engineText())
		if err != nil || len(again.Parts) != 1 || again.Parts[0].Kind != got.Parts[0].Kind || again.Parts[0].Value != got.Parts[0].Value {
			t.Fatalf("%q for %q reads back as %+v, want %+v (%v)", got.engineText(), old, again.Parts, got.Parts, err)
		}
	})
}
