package workflowlint

import (
	"testing"
)

func TestCachesArePoisonousWhereWhatTheyHoldIsPublished(t *testing.T) {
	cache := func(step string) string {
		return "      - uses: actions/cache@" + sha + " # v5\n" + step
	}
	mixed := func(job string) string { // tests that tags start as well
		return "on:\n  pull_request:\n  push: {branches: [main], tags: ['v*']}\npermissions: {}\njobs:\n  a:\n    runs-on: ubuntu-24.04\n" + job
	}
	steps := "    steps:\n" + cache("")
	found := []string{"cache-poisoning 9:15"}
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"tests that tags start as well", mixed(steps), nil},
		{"tests that a release branch starts as well", "on: {pull_request: , push: {branches: ['release/*']}}\npermissions: {}\njobs:\n  a:\n" + steps, nil},
		{"no tag at all", "on: {push: {tags: ['!**']}}\npermissions: {}\njobs:\n  a:\n" + steps, nil},
		{"a job whose token may write packages", mixed("    permissions: {packages: write}\n" + steps), []string{"cache-poisoning 10:15"}},
		{"a job whose token may write statuses", mixed("    permissions: {statuses: write}\n" + steps), nil},
		{"a job with a secret", mixed(steps + "        env:\n          KEY: ${{ secrets.KEY }}\n"), found},
		{"a job with its own token", mixed(steps + "        env:\n          KEY: ${{ secrets.GITHUB_TOKEN }}\n"), nil},
		{"a job that reports its coverage", mixed(steps + "      - uses: codecov/codecov-action@" + sha + " # v7\n        with:\n          token: ${{ secrets.CODECOV_TOKEN }}\n"), nil},
		{"a job whose artifact goes on", mixed(steps + "      - uses: actions/upload-artifact@" + sha + " # v7\n        with: {path: dist}\n"), found},
		{"a job named after what it does", mixed("    name: Publish it\n" + steps), []string{"cache-poisoning 10:15"}},
		{"a job that deploys", mixed("    environment: npm\n" + steps), []string{"cache-poisoning 10:15"}},
		{"a job on an own machine", "on: {pull_request: , push: {tags: [v1]}}\npermissions: {}\njobs:\n  a:\n    if: github.event_name == 'push'\n    runs-on: [self-hosted]\n" + steps, []string{"cache-poisoning 8:15"}},
		{"outputs for a job that publishes", mixed("    outputs: {x: y}\n"+steps) + "  b:\n    needs: a\n    permissions: {}\n    steps: []\n  c:\n    needs: [b]\n    permissions: {contents: write}\n    steps: []\n", []string{"cache-poisoning 10:15"}},
		{"outputs for tests", mixed("    outputs: {x: y}\n"+steps) + "  b:\n    needs: a\n    permissions: {}\n    steps: []\n", nil},
		{"a job that no release starts", mixed("    if: github.event_name == 'pull_request'\n    permissions: {contents: write}\n" + steps), nil},
		{"a job for one branch", mixed("    if: github.ref == 'refs/heads/main'\n    permissions: {contents: write}\n" + steps), nil},

		{"goreleaser that checks", workflow("push", "uses: goreleaser/goreleaser-action@"+sha+" # v7\nwith: {args: check}") + cache(""), nil},
		{"goreleaser that rehearses", workflow("push", "uses: goreleaser/goreleaser-action@"+sha+" # v7\nwith: {args: release --snapshot}") + cache(""), nil},
		{"goreleaser that releases", workflow("push", "uses: goreleaser/goreleaser-action@"+sha+" # v7\nwith: {args: release --clean}") + cache(""), found},
		{"an image that is not pushed", workflow("push", "uses: docker/build-push-action@"+sha+" # v7\nwith: {push: \"${{ github.event_name == 'release' }}\"}") + cache(""), nil},
		{"an image pushed for some", workflow("[push, pull_request]", "uses: docker/build-push-action@"+sha+" # v7\nwith: {push: \"${{ github.event_name == 'push' }}\"}") + cache(""), found},
		{"a cache that is not restored where it is pushed", workflow("[push, pull_request]", "uses: docker/build-push-action@"+sha+" # v7\nwith: {push: \"${{ github.event_name == 'push' }}\"}") + cache("        if: github.event_name == 'pull_request'\n"), nil},
		{"a command that one event runs", workflow("[push, pull_request]", "if: github.event_name == 'push'\nrun: npm publish") + "      - if: ${{ !startsWith(github.ref, 'refs/tags/') && github.event_name != 'push' }}\n        uses: actions/cache@" + sha + " # v5\n", nil},
		{"a cache for pull requests beside a step for tags", workflow("{pull_request: , push: {tags: ['*']}}", "if: startsWith(github.ref, 'refs/tags/')\nrun: npm publish") + cache("        if: ${{ !startsWith(github.ref, 'refs/tags/') }}\n"), nil},
		{"two branches with one beginning", workflow("{push: {branches: [release-1, release-2]}}", "if: github.ref == 'refs/heads/release-2'\nrun: npm publish") + cache(""), found},
		{"a preview that is published", workflow("pull_request", "run: pnpx pkg-pr-new publish") + cache(""), []string{"cache-poisoning 8:15"}},

		{"a release branch that is no tag", workflow("{push: {branches: [release], tags: ['*']}}", "uses: pyo3/maturin-action@"+sha+" # v1\nwith:\n  sccache: ${{ !startsWith(github.ref, 'refs/tags/') }}"), []string{"cache-poisoning 7:15"}},
		{"a release, which is no push", workflow("release", "uses: pyo3/maturin-action@"+sha+" # v1\nwith:\n  sccache: ${{ !(github.event_name == 'push' && github.ref_type == 'tag') }}"), []string{"cache-poisoning 7:15"}},
		{"composer without its cache", workflow("release", "uses: ramsey/composer-install@"+sha+" # v3\nwith: {ignore-cache: yes}"), nil},
		{"composer with its cache", workflow("release", "uses: ramsey/composer-install@"+sha+" # v3\nwith: {ignore-cache: no}"), []string{"cache-poisoning 7:15"}},
		{"uv before version 10", workflow("release", "uses: astral-sh/setup-uv@"+sha+" # v9.1.0"), []string{"cache-poisoning 7:15"}},
		{"uv since version 10", workflow("release", "uses: astral-sh/setup-uv@"+sha+" # v10.0.0\nwith: {enable-cache: auto}"), nil},
		{"uv told to", workflow("release", "uses: astral-sh/setup-uv@"+sha+" # v10.0.0\nwith: {enable-cache: true}"), []string{"cache-poisoning 7:15"}},
		{"Buildx of a version, from the cache", workflow("release", "uses: docker/setup-buildx-action@"+sha+" # v4\nwith: {version: latest}"), []string{"cache-poisoning 7:15"}},
		{"the runner's Buildx", workflow("release", "uses: docker/setup-buildx-action@"+sha+" # v4"), nil},
		{"Buildx without the cache", workflow("release", "uses: docker/setup-buildx-action@"+sha+" # v4\nwith: {version: latest, cache-binary: false}"), nil},
	} {
		t.Run(c.name, func(t *testing.T) { expectFindings(t, c.text, c.want) })
	}
}

func TestNodeIsSetUpWithACacheWherePackageJSONNamesThePackageManager(t *testing.T) {
	for _, c := range []struct {
		name, manifest, version, with string
		found                         bool
	}{
		{"npm since version 5", `{"packageManager": "npm@11.0.0"}`, "v6", "", true},
		{"npm by devEngines", `{"devEngines": {"packageManager": {"name": "npm"}}}`, "v6", "", true},
		{"npm as one of devEngines", `{"devEngines": {"packageManager": [{"name": "npm"}]}}`, "v7", "", true},
		{"npm before version 5", `{"packageManager": "npm@11.0.0"}`, "v4.4.0", "", false},
		{"pnpm in version 5", `{"packageManager": "pnpm@10.0.0+sha512.abc"}`, "v5", "", true},
		{"pnpm since version 6", `{"packageManager": "pnpm@10.0.0"}`, "v6", "", false},
		{"none named", `{"name": "x"}`, "v6", "", false},
		{"no package.json", ``, "v6", "", false},
		{"switched off", `{"packageManager": "npm@11.0.0"}`, "v6", "package-manager-cache: false", false},
		{"switched on", `{}`, "v6", "package-manager-cache: true", true},
		{"told", `{}`, "v6", "cache: npm", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := workflow("release", "uses: actions/setup-node@"+sha+" # "+c.version+"\nwith: {"+c.with+"}")
			got, err := Checkout{PackageManager: PackageManager([]byte(c.manifest))}.Check("x.yml", []byte(text))
			if err != nil || (len(got.Findings) == 1) != c.found {
				t.Errorf("found %d, %v; want %t", len(got.Findings), err, c.found)
			}
		})
	}
}
