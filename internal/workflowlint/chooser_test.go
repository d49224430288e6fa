package workflowlint

import "testing"

func TestTextThatNobodyChoosesIsNoInjection(t *testing.T) {
	matrix := func(on, value string) string {
		return "on: " + on + "\npermissions: {}\njobs:\n  a:\n    strategy: {matrix: {x: [\"" + value + "\"]}}\n    steps:\n      - run: echo ${{ matrix.x }}\n"
	}
	output := func(action, name string) string {
		return workflow("issue_comment", "id: made\nuses: "+action+"@"+sha+" # v7") + "      - run: echo ${{ steps.made.outputs." + name + " }}\n"
	}
	found := []string{"template-injection 7:19"}
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a branch in the matrix", matrix("pull_request", "${{ github.head_ref }}"), found},
		{"the owner in the matrix", matrix("pull_request_target", "x-${{ github.repository_owner }}"), nil},
		{"a written list in the matrix", matrix("pull_request_target", "${{ fromJSON('[1]') }}"), nil},
		{"a matrix of an input", "on: {workflow_dispatch: {inputs: {x: {type: string}}}}\npermissions: {}\njobs:\n  a:\n    strategy: {matrix: \"${{ fromJSON(inputs.x) }}\"}\n    steps:\n      - run: echo ${{ matrix.y }}\n", found},

		{"the URL of an artifact", output("actions/upload-artifact", "artifact-url"), nil},
		{"whether a filter fits", output("dorny/paths-filter", "docs"), nil},
		{"the files that fit", output("dorny/paths-filter", "docs_files"), []string{"template-injection 9:19"}},
		{"what a script says", output("actions/github-script", "result"), []string{"template-injection 9:19"}},

		{"one branch", workflow("{push: {branches: [main, '4.2.x']}}", "run: echo ${{ github.ref_name }}"), nil},
		{"tags of digits", workflow("{push: {tags: ['v4.2.[0-9]+']}}", "run: echo ${{ github.ref }}"), nil},
		{"tags of any letters", workflow("{push: {tags: ['v*']}}", "run: echo ${{ github.ref_name }}"), found},
		{"all but one branch", workflow("{push: {branches-ignore: [main]}}", "run: echo ${{ github.ref_name }}"), found},
		{"one branch, or any that a person names", workflow("{push: {branches: [main]}, workflow_dispatch: }", "run: echo ${{ github.ref_name }}"), found},
		{"a pull request by its number", workflow("pull_request", "run: echo ${{ github.ref }}"), nil},
		{"a branch that a pull request is for", workflow("pull_request", "run: echo ${{ github.base_ref }}"), found},
		{"one branch that pull requests are for", workflow("{pull_request: {branches: [main]}, push: }", "run: echo ${{ github.base_ref }} ${{ github.event.pull_request.base.ref }}"), nil},
		{"one branch that is not the pull request's own", workflow("{pull_request: {branches: [main]}}", "run: echo ${{ github.head_ref }}"), found},

		{"a program of jq", workflow("issues", "uses: mikefarah/yq@"+sha+" # v4\nwith:\n  cmd: ${{ github.event.issue.title }}"), []string{"template-injection 9:16"}},
		{"two templates", workflow("issues", "uses: tibdex/backport@"+sha+" # v2\nwith:\n  title_template: ${{ github.event.issue.title }}\n  body_template: ${{ github.event.issue.body }}"), []string{"template-injection 9:27", "template-injection 10:26"}},
	} {
		t.Run(c.name, func(t *testing.T) { expectFindings(t, c.text, c.want) })
	}
}
