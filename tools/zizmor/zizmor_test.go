package main

import (
	"strings"
	"testing"
	"testing/fstest"
)

// expected is a test of zizmor's as its repository writes them, of one finding.
func expected(rule, place string) string {
	return `
#[test]
fn test_it() -> Result<()> {
    insta::assert_snapshot!(
        zizmor().input(input_under_test("a.yml")).run()?,
        @r#"
    error[` + rule + `]: something
      --> @@INPUT@@:` + place + `
       |
     6 |       - uses: acme/thing@v1
       |               ^^^^^^^^^^^^^ this
       |

    1 finding: 0 informational, 0 low, 0 medium, 1 high
    "#
    );
}

#[test]
fn test_with_a_configuration() -> Result<()> {
    insta::assert_snapshot!(
        zizmor().config(input_under_test("c.yml")).input(input_under_test("b.yml")).run()?,
        @"No findings to report."
    );
}
`
}

func TestDifferencesAreTold(t *testing.T) {
	const workflow = "on: push\npermissions: {}\njobs:\n  a:\n    steps:\n      - uses: acme/thing@v1\n"
	for _, c := range []struct{ name, test, says, fails string }{
		{"both find it", expected("unpinned-uses", "6:15"), "| `unpinned-uses` | 1 | 0 | 0 |", ""},
		{"a rule that is only zizmor's", expected("typosquat-uses", "6:15"), "| `unpinned-uses` | 0 | 0 | 1 |", "1 differences"},
		{"we miss it", expected("artipacked", "6:15"), "| zizmor | `artipacked` | a.yml | 6 | unknown", "2 differences"},
		{"we miss it, and know why", strings.ReplaceAll(expected("self-hosted-runner", "6:15"), "acme/thing@v1", ""), "| zizmor | `self-hosted-runner` | a.yml | 6 | only pushes", "1 differences"},
		{"no test at all", "", "", "no test of zizmor's could be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var said strings.Builder
			err := run(&said, fstest.MapFS{
				testsFolder + "/audit/it.rs": {Data: []byte(c.test)},
				dataFolder + "/a.yml":        {Data: []byte(workflow)},
			})
			if !strings.Contains(said.String(), c.says) {
				t.Errorf("%q is missing:\n%s", c.says, said.String())
			}
			if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%v, want %q", err, c.fails)
			}
		})
	}
}
