package workflowlint

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

const sha = "3d3c42e5aac5ba805825da76410c181273ba90b1"

// workflow is one job of one step in a workflow that breaks no other rule.
func workflow(on, step string) string {
	return "on: " + on + "\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - " + strings.ReplaceAll(step, "\n", "\n        ") + "\n"
}

func jobs(text string) string { return "on: push\npermissions: {}\njobs:\n" + text }

func TestEachRuleFindsWhatIsWrongAndNothingElse(t *testing.T) {
	guarded := "uses: actions/checkout@" + sha + " # v7.0.1\nwith:\n  persist-credentials: false"
	checkout := "uses: actions/checkout@" + sha + " # v6.0.3\nwith:\n  persist-credentials: false"
	keeping := "uses: actions/checkout@" + sha + " # v4.2.2"
	upload := "      - uses: actions/upload-artifact@" + sha + " # v4\n        with:\n          path: "
	for _, c := range []struct {
		name, text string
		want       []string // rule line:column
	}{
		{"a tag", workflow("push", "uses: actions/setup-go@v6"), []string{"unpinned-uses 7:15"}},
		{"a branch of a called workflow", jobs("  a:\n    uses: acme/ci/.github/workflows/x.yml@main\n"), []string{"unpinned-uses 5:11"}},
		{"no ref", workflow("push", "uses: acme/thing"), []string{"unpinned-uses 7:15"}},
		{"a short commit", workflow("push", "uses: acme/thing@3d3c42e"), []string{"unpinned-uses 7:15"}},
		{"a commit", workflow("push", "uses: acme/thing@"+sha+" # v7"), nil},
		{"an action of the repository", workflow("push", "uses: ./tools/thing"), nil},
		{"a called workflow of the repository", jobs("  a:\n    uses: ./.github/workflows/x.yml\n"), nil},

		{"an image by tag", workflow("push", "uses: docker://alpine:3"), []string{"unpinned-images 7:15"}},
		{"a container by tag", jobs("  a:\n    container: node:22\n    steps: []\n"), []string{"unpinned-images 5:16"}},
		{"a container's image by tag", jobs("  a:\n    container:\n      image: node:22\n"), []string{"unpinned-images 6:14"}},
		{"a service by tag", jobs("  a:\n    services:\n      db:\n        image: postgres:17\n"), []string{"unpinned-images 7:16"}},
		{"a tag in the matrix", jobs("  a:\n    strategy:\n      matrix:\n        image: [node:22, node:24]\n    container: ${{ matrix.image }}\n"), []string{"unpinned-images 8:16", "unpinned-images 8:16"}},
		{"a tag an expression chooses", jobs("  a:\n    container: ${{ matrix.x == 'db' && 'postgres:17' || '' }}\n"), []string{"unpinned-images 5:16"}},
		{"an image by digest", jobs("  a:\n    container: node:22@sha256:" + strings.Repeat("ab", 32) + "\n"), nil},
		{"a digest that a run knows", jobs("  a:\n    container: node@${{ needs.b.outputs.digest }}\n"), nil},
		{"an image that a run knows", jobs("  a:\n    container: ${{ needs.b.outputs.image }}\n"), nil},
		{"an action's image by tag", "runs:\n  using: docker\n  image: docker://ghcr.io/a/b:v1\n", []string{"unpinned-images 3:10"}},
		{"an action's own image", "runs:\n  using: docker\n  image: Dockerfile\n", nil},

		{"a title in a script", workflow("issues", "run: echo ${{ github.event.issue.title }}"), []string{"template-injection 7:19"}},
		{"a branch in a script", workflow("push", "run: |\n  é=1\n  echo \"é ${{ github.sha }} ${{ github.ref_name }}\""), []string{"template-injection 9:37"}},
		{"a title in another script", workflow("issues", "uses: actions/github-script@"+sha+" # v8\nwith:\n  Script: log('${{ github.event.issue.title }}')"), []string{"template-injection 9:24"}},
		{"a title through format", workflow("issues", "run: echo ${{ format('{0}', github.event['issue'].title) }}"), []string{"template-injection 7:19"}},
		{"a title through env", workflow("issues", "env:\n  T: ${{ github.event.issue.title }}\nrun: echo ${{ env.T }}"), []string{"template-injection 9:19"}},
		{"the whole event", workflow("push", "run: echo '${{ toJSON(github.event) }}'"), []string{"template-injection 7:20"}},
		{"what cannot be read", workflow("issues", "run: echo ${{ github.event.issue.title + }}"), []string{"template-injection 7:19"}},
		{"an input's text", workflow("{workflow_dispatch: {inputs: {x: {type: string}}}}", "run: echo ${{ inputs.x }}"), []string{"template-injection 7:19"}},
		{"an output where strangers start it", workflow("issue_comment", "run: echo ${{ steps.a.outputs.b }}"), []string{"template-injection 7:19"}},
		{"a matrix a run made, where strangers start it", "on: issues\npermissions: {}\njobs:\n  a:\n    strategy: {matrix: {x: \"${{ fromJSON(needs.b.outputs.c) }}\"}}\n    steps:\n      - run: echo ${{ matrix.x }}\n", []string{"template-injection 7:19"}},
		{"an action's input", "runs:\n  using: composite\n  steps:\n    - run: echo ${{ inputs.x }}\n      shell: bash\n", []string{"template-injection 4:17"}},
		{"a title by env", workflow("issues", "env:\n  T: ${{ github.event.issue.title }}\nrun: echo \"$T\""), nil},
		{"a title that is only compared", workflow("issues", "run: echo ${{ github.event.issue.title == 'x' && 'yes' || 'no' }}"), nil},
		{"a title that is only asked for", workflow("issues", "run: echo ${{ github.event.issue.title && github.actor && 'yes' }}"), nil},
		{"a title that is asked for last", workflow("issues", "run: echo ${{ github.actor && github.event.issue.title }}"), []string{"template-injection 7:19"}},
		{"a title that is only tested", workflow("issues", "run: echo ${{ contains(github.event.issue.title, '}}') }}"), nil},
		{"a number", workflow("issues", "run: echo ${{ (github.event.pull_request || github.event.issue).number }} ${{ github.sha }}"), nil},
		{"a choice", workflow("{workflow_dispatch: {inputs: {x: {type: choice, options: [a, b]}}}}", "run: echo ${{ inputs.x }} ${{ github.event.inputs.x }}"), nil},
		{"a written matrix", "on: issues\npermissions: {}\njobs:\n  a:\n    strategy: {matrix: {x: [1, 2], include: [{x: 3, y: {z: 4}}]}}\n    steps:\n      - run: echo ${{ matrix.x }}${{ matrix.y.z }}\n", nil},
		{"an output of the repository's own run", workflow("push", "run: echo ${{ steps.a.outputs.b }}"), nil},
		{"a title in what is no script", workflow("issues", "uses: acme/thing@"+sha+" # v1\nwith:\n  text: ${{ github.event.issue.title }}"), nil},

		{"a checkout of the pull request", workflow("pull_request_target", checkout+"\n  ref: ${{ github.event.pull_request.head.sha }}"), []string{"untrusted-checkout 10:16"}},
		{"a checkout of the fork", workflow("workflow_run", checkout+"\n  repository: ${{ github.event.workflow_run.head_repository.full_name }}"), []string{"untrusted-checkout 10:23"}},
		{"a checkout of what a step tells", workflow("issue_comment", checkout+"\n  ref: ${{ steps.pr.outputs.sha }}"), []string{"untrusted-checkout 10:16"}},
		{"a pull request fetched", workflow("issue_comment", "run: gh pr checkout 1"), []string{"untrusted-checkout 7:14"}},
		{"a checkout of the pull request that the action refuses", workflow("pull_request_target", guarded+"\n  ref: ${{ github.event.pull_request.head.sha }}"), nil},
		{"a checkout that it is told to allow", workflow("workflow_run", guarded+"\n  allow-unsafe-pr-checkout: true\n  ref: ${{ github.event.workflow_run.head_sha }}"), []string{"untrusted-checkout 11:16"}},
		{"a checkout for a comment, which it does not refuse", workflow("issue_comment", guarded+"\n  ref: refs/pull/${{ github.event.issue.number }}/head"), []string{"untrusted-checkout 10:16"}},
		{"a checkout for two events, of which it refuses one", workflow("[pull_request_target, issue_comment]", guarded+"\n  ref: ${{ github.event.pull_request.head.sha }}"), []string{"untrusted-checkout 10:16"}},
		{"a checkout of what a step tells, which it may not know", workflow("workflow_run", guarded+"\n  ref: ${{ steps.pr.outputs.sha }}"), []string{"untrusted-checkout 10:16"}},
		{"a checkout of the base", workflow("pull_request_target", checkout), nil},
		{"a checkout of the pull request without the token", workflow("pull_request", checkout+"\n  ref: ${{ github.event.pull_request.head.sha }}"), nil},
		{"a checkout of one's own pull request", "on: pull_request_target\npermissions: {}\njobs:\n  a:\n    if: github.event.pull_request.head.repo.full_name == github.repository\n    steps:\n      - " + strings.ReplaceAll(checkout+"\n  ref: ${{ github.head_ref }}", "\n", "\n        ") + "\n", nil},

		{"no permissions", "on: push\njobs:\n  a:\n    steps: []\n", []string{"excessive-permissions 3:3"}},
		{"all permissions", "on: push\npermissions: write-all\njobs:\n  a:\n    steps: []\n", []string{"excessive-permissions 2:14"}},
		{"all to read", "on: push\njobs:\n  a:\n    permissions: read-all\n", []string{"excessive-permissions 4:18"}},
		{"one job's permission for all", "on: push\npermissions:\n  contents: read\n  issues: write\njobs:\n  a:\n    steps: []\n  b:\n    permissions: {}\n", []string{"excessive-permissions 4:3"}},
		{"all permissions at the top, where every job has its own", "on: push\npermissions: write-all\njobs:\n  a:\n    permissions: {}\n", nil},
		{"one job's permission at the top", "on: push\npermissions:\n  issues: write\njobs:\n  a:\n    steps: []\n", nil},
		{"permissions in every job", "on: push\njobs:\n  a:\n    permissions: {}\n  b:\n    permissions: {contents: write}\n", nil},
		{"a called workflow, whose caller decides", "on: {workflow_call: {}}\njobs:\n  a:\n    steps: []\n", nil},

		{"the token in an artifact", workflow("push", keeping) + upload + ".\n", []string{"persist-credentials 7:15", "artipacked 10:17"}},
		{"the token in an artifact of everything", workflow("push", keeping) + upload + "${{ github.workspace }}/**\n", []string{"persist-credentials 7:15", "artipacked 10:17"}},
		{"the token in the artifact of a folder", workflow("push", keeping+"\nwith:\n  path: src\n  persist-credentials: true") + upload + "src/\n", []string{"artipacked 13:17"}},
		{"an artifact of a folder", workflow("push", keeping) + upload + "dist\n", []string{"persist-credentials 7:15"}},
		{"a checkout that keeps the token elsewhere", workflow("push", "uses: actions/checkout@"+sha+" # v6.0.0\nwith: {persist-credentials: true}") + upload + ".\n", nil},
		{"an artifact without hidden files", workflow("push", keeping+"\nwith: {persist-credentials: true}") + "      - uses: actions/upload-artifact@" + sha + " # v5\n        with: {path: ., include-hidden-files: false}\n", nil},

		{"a token kept", workflow("push", "uses: actions/checkout@"+sha+" # v7"), []string{"persist-credentials 7:15"}},
		{"a token kept on purpose", workflow("push", "uses: actions/checkout@"+sha+" # v7\nwith:\n  persist-credentials: true"), nil},

		{"a cache where a tag is released", workflow("{push: {tags: ['v*']}}", "uses: actions/cache@"+sha+" # v5"), []string{"cache-poisoning 7:15"}},
		{"a cache by default", workflow("release", "uses: actions/setup-go@"+sha+" # v6"), []string{"cache-poisoning 7:15"}},
		{"a cache beside a command that publishes", workflow("push", "run: npm publish") + "      - uses: actions/setup-node@" + sha + " # v6\n        with: {cache: npm}\n", []string{"cache-poisoning 8:15"}},
		{"a cache for tags alone", workflow("release", "uses: pyo3/maturin-action@"+sha+" # v1\nwith:\n  sccache: ${{ startsWith(github.ref, 'refs/tags/') }}"), []string{"cache-poisoning 7:15"}},
		{"a cache switched off", workflow("release", "uses: actions/setup-go@"+sha+" # v6\nwith: {cache: false}"), nil},
		{"a cache that is not for tags", workflow("release", "uses: actions/setup-go@"+sha+" # v6\nwith:\n  cache: ${{ !startsWith(github.ref, 'refs/tags/') }}"), nil},
		{"a cache that is only looked up", workflow("release", "uses: actions/cache@"+sha+" # v5\nwith: {lookup-only: true}"), nil},
		{"a cache where nothing is published", workflow("push", "uses: actions/setup-go@"+sha+" # v6"), nil},
		{"a cache beside a rehearsal", workflow("push", "run: cargo publish --dry-run") + "      - uses: actions/setup-go@" + sha + " # v6\n", nil},

		{"a cache that the job may not read", "on: release\npermissions: {}\njobs:\n  a:\n    cache-mode: none\n    steps:\n      - uses: actions/setup-go@" + sha + " # v6\n", nil},
		{"a cache that the workflow only writes", "on: release\npermissions: {}\ncache-mode: write-only\njobs:\n  a:\n    steps:\n      - uses: actions/cache@" + sha + " # v5\n", nil},
		{"a cache that the job reads though the workflow does not", "on: release\npermissions: {}\ncache-mode: none\njobs:\n  a:\n    cache-mode: read\n    steps:\n      - uses: actions/cache@" + sha + " # v5\n", []string{"cache-poisoning 8:15"}},
		{"a cache saved for strangers", "on: pull_request_target\npermissions: {}\ncache-mode: write\njobs:\n  a:\n    steps: []\n", []string{"cache-poisoning 3:13"}},
		{"a cache saved for strangers by one job", "on: issue_comment\npermissions: {}\njobs:\n  a:\n    cache-mode: write-only\n    steps: []\n", []string{"cache-poisoning 5:17"}},
		{"a cache read for strangers", "on: pull_request_target\npermissions: {}\ncache-mode: read\njobs:\n  a:\n    steps: []\n", nil},
		{"a cache saved by one's own", "on: push\npermissions: {}\ncache-mode: write\njobs:\n  a:\n    steps: []\n", nil},

		{"steps at the same time", workflow("pull_request_target", "parallel:\n  - uses: acme/thing@v1\n  - run: gh pr checkout 1\n  - uses: actions/checkout@"+sha+"\n  - run: echo ${{ github.head_ref }}"),
			[]string{"unpinned-uses 8:19", "untrusted-checkout 9:18", "persist-credentials 10:19", "template-injection 11:23"}},
		{"a step in the background", workflow("push", "background: true\nuses: acme/thing@v1"), []string{"unpinned-uses 8:15"}},
		{"waiting for steps", workflow("push", "wait: [a, b]") + "      - wait-all:\n      - cancel: a\n", nil},
		{"an action of the repository by its root", workflow("push", "uses: $/tools/thing"), nil},
		{"a called workflow of the repository by its root", jobs("  a:\n    uses: $/.github/workflows/x.yml\n"), nil},

		{"a variable for later steps", workflow("workflow_run", "run: |\n  true\n  echo \"X=$(cat pr.txt)\" >> \"$GITHUB_ENV\""), []string{"github-env 9:14"}},
		{"a file for later steps", workflow("pull_request_target", "run: cat pr.env >>$GITHUB_ENV"), []string{"github-env 7:14"}},
		{"a file for later steps by tee", workflow("pull_request_target", "run: cat pr.env | tee -a ${GITHUB_PATH}"), []string{"github-env 7:14"}},
		{"a variable in PowerShell", workflow("pull_request_target", "run: Get-Content x | Out-File -Append $env:GITHUB_ENV"), []string{"github-env 7:14"}},
		{"an action's variable", "runs:\n  using: composite\n  steps:\n    - run: echo \"X=$Y\" >> $GITHUB_ENV\n", []string{"github-env 4:12"}},
		{"fixed text", workflow("workflow_run", "run: echo X=1 >> $GITHUB_ENV; true"), nil},
		{"the action's own folder", "runs:\n  using: composite\n  steps:\n    - run: echo \"$GITHUB_ACTION_PATH/bin\" >> $GITHUB_PATH\n", nil},
		{"a variable where strangers have no token", workflow("pull_request", "run: cat x >> $GITHUB_ENV"), nil},
		{"an output", workflow("workflow_run", "run: cat x >> $GITHUB_OUTPUT"), nil},

		{"all secrets", jobs("  a:\n    uses: ./.github/workflows/x.yml\n    secrets: inherit\n"), []string{"secrets-inherit 6:14"}},
		{"one secret", jobs("  a:\n    uses: ./.github/workflows/x.yml\n    secrets:\n      KEY: ${{ secrets.KEY }}\n"), nil},

		{"one's own machine for forks", "on: pull_request\npermissions: {}\njobs:\n  a:\n    runs-on: [self-hosted, linux]\n", []string{"self-hosted-runner 5:14"}},
		{"one's own machine by group", "on: issue_comment\npermissions: {}\njobs:\n  a:\n    runs-on: {group: big}\n", []string{"self-hosted-runner 5:14"}},
		{"one's own machine in the matrix", "on: pull_request\npermissions: {}\njobs:\n  a:\n    strategy: {matrix: {os: [ubuntu-24.04, self-hosted]}}\n    runs-on: ${{ matrix.os }}\n", []string{"self-hosted-runner 6:14"}},
		{"one's own machine excluded from the matrix", "on: pull_request\npermissions: {}\njobs:\n  a:\n    strategy: {matrix: {os: [ubuntu-24.04, self-hosted], exclude: [{os: self-hosted}]}}\n    runs-on: ${{ matrix.os }}\n", nil},
		{"one's own machine excluded from the matrix in part", "on: pull_request\npermissions: {}\njobs:\n  a:\n    strategy: {matrix: {os: [ubuntu-24.04, self-hosted], v: [1, 2], exclude: [{os: self-hosted, v: 1}]}}\n    runs-on: ${{ matrix.os }}\n", []string{"self-hosted-runner 6:14"}},
		{"one's own machine for pushes", "on: push\npermissions: {}\njobs:\n  a:\n    runs-on: self-hosted\n", nil},
		{"one's own machine without forks", "on: pull_request\npermissions: {}\njobs:\n  a:\n    if: ${{ github.event.pull_request.head.repo.full_name == github.repository }}\n    runs-on: self-hosted\n", nil},

		{"one's own machine for pushes beside pull requests", "on: [push, pull_request]\npermissions: {}\njobs:\n  a:\n    if: github.event_name != 'pull_request'\n    runs-on: self-hosted\n", nil},
		{"a checkout of the pull request by hand", workflow("[issue_comment, workflow_dispatch]", "if: github.event_name == 'workflow_dispatch'\n"+checkout+"\n  ref: refs/pull/1/head"), nil},
		{"a variable for later steps by hand", workflow("[workflow_run, workflow_dispatch]", "if: github.event_name == 'workflow_dispatch'\nrun: cat x >> $GITHUB_ENV"), nil},
		{"an output by hand", workflow("[issue_comment, workflow_dispatch]", "if: github.event_name == 'workflow_dispatch'\nrun: echo ${{ steps.a.outputs.b }}"), nil},

		{"an alias, told once", "on: issues\npermissions: {}\njobs:\n  a: &a\n    steps:\n      - run: echo ${{ github.event.issue.title }}\n  b: *a\n", []string{"template-injection 6:19"}},
		{"an event by its three forms", "on: [push, pull_request_target]\npermissions: {}\njobs:\n  a:\n    runs-on: self-hosted\n", []string{"self-hosted-runner 5:14"}},
	} {
		t.Run(c.name, func(t *testing.T) { expectFindings(t, c.text, c.want) })
	}
}

// expectFindings checks what is found in a text: rule line:column.
func expectFindings(t *testing.T, text string, want []string) {
	t.Helper()
	result, err := Check("ci.yml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range result.Findings {
		got = append(got, fmt.Sprintf("%s %d:%d", f.Rule, f.Line, f.Column))
		if f.File != "ci.yml" || f.Text == "" || f.Why == "" || f.Fix == "" {
			t.Errorf("a finding that does not say all: %+v", f)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, text)
	}
}

// lastValue returns the value of the last key of a mapping.
func lastValue(t *testing.T, text string) *yaml.Node {
	t.Helper()
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	fields := document.Content[0].Content
	return fields[len(fields)-1]
}

func TestAFindingIsIgnoredByAComment(t *testing.T) {
	for _, c := range []struct {
		comment     string
		found, gone int
	}{
		{"uses: a/b@v1 # breadcrumb: ignore[unpinned-uses] ours", 0, 1},
		{"uses: a/b@v1 # zizmor: ignore[template-injection, unpinned-uses]", 0, 1},
		{"uses: a/b@v1 # zizmor: ignore[artipacked]", 1, 0},
		{"uses: a/b@v1 # unpinned-uses", 1, 0},
		{"uses: actions/checkout@" + sha + " # zizmor: ignore[artipacked]", 0, 1},
		{"# breadcrumb: ignore[unpinned-uses]\nuses: a/b@v1", 0, 1},
		{"name: x # breadcrumb: ignore[unpinned-uses]\nuses: a/b@v1", 1, 0},
	} {
		got, err := Check("x", []byte(workflow("push", c.comment)))
		if err != nil || len(got.Findings) != c.found || got.Ignored != c.gone {
			t.Errorf("%s: %d found, %d ignored, %v; want %d, %d", c.comment, len(got.Findings), got.Ignored, err, c.found, c.gone)
		}
	}
}

func TestWhatCannotBeReadIsRefused(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for i := range 12 {
		c := string(rune('a' + i))
		bomb += fmt.Sprintf("%s: &%[1]s [*%s,*%[2]s,*%[2]s,*%[2]s,*%[2]s,*%[2]s,*%[2]s,*%[2]s]\n", string(rune('b'+i)), c)
	}
	long := "x: &x " + strings.Repeat("y", 100_000) + "\njobs: [" + strings.Repeat("*x,", 1000) + "]\n"
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "x.yml: the file is empty"},
		{"no workflow", "a: 1\n", "x.yml: neither a workflow"},
		{"no mapping", "- 1\n", "x.yml: neither a workflow"},
		{"no YAML", "a: [\n", "x.yml: yaml: line"},
		{"a bomb of aliases", bomb + "jobs: *m\n", "too large once its aliases are followed"},
		{"a bomb of text", long, "too large once its aliases are followed"},
		{"an alias of itself", "jobs: &a\n  b: *a\n", "too large once its aliases are followed"},
		{"great depth", "jobs: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "too large once"},
		{"a huge file", strings.Repeat("#\n", MaxBytes), "more than the 512 KB"},
	} {
		_, err := Check("x.yml", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// Our own workflows, actions and examples keep every rule, and each commit they
// pin says its version.
func TestOurOwnWorkflowsKeepTheRules(t *testing.T) {
	var files []string
	for _, pattern := range []string{".github/workflows/*.y*ml", "action.yml", "*/action.yml", "examples/workflows/*.y*ml"} {
		found, err := filepath.Glob(filepath.Join("..", "..", pattern))
		if err != nil || len(found) == 0 && pattern != "*/action.yml" {
			t.Fatalf("%s: no file: %v", pattern, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		result, err := Check(file, text)
		if err != nil {
			t.Error(err)
		}
		if result.Ignored > 0 {
			t.Errorf("%s: %d findings are ignored by comments", file, result.Ignored)
		}
		for _, f := range result.Findings {
			t.Errorf("%s:%d:%d: %s: %s; %s", f.File, f.Line, f.Column, f.Rule, f.Text, f.Fix)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if strings.Contains(line, "uses:") && strings.Contains(line, "@") && !strings.Contains(line, "breadcrumb/action") && !strings.Contains(line, "# v") {
				t.Errorf("%s:%d: no version behind the commit: %s", file, i+1, line)
			}
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(workflow("issues", "run: |\n  echo ${{ github.event['issue'].title || '}}' }}")))
	f.Add([]byte(workflow("{push: {tags: [v1]}}", "uses: actions/cache@v4\nwith: {path: a}")))
	f.Add([]byte("runs:\n  using: composite\n  steps: &s\n    - run: \"\\u0024{{ inputs.x }}\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		result, err := Check("x.yml", text)
		if err != nil {
			return
		}
		lines := len(splitLines(string(text)))
		for _, found := range result.Findings {
			if found.Line < 1 || found.Line > lines+1 || found.Column < 1 {
				t.Errorf("a place outside the file: %+v", found)
			}
		}
	})
}
