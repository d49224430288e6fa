package workflowlint

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// caching says when an action restores a cache.
type caching struct {
	input     string // the input that decides, "" when there is none
	off       string // the value of input that switches the cache off; "" when any value but false switches it on
	byDefault bool
}

// cacheActions are the actions known to restore what another run saved.
var cacheActions = map[string]caching{
	"actions/cache":                             {"lookup-only", "true", true},
	"actions/cache/restore":                     {"lookup-only", "true", true},
	"actions/setup-go":                          {"cache", "false", true},
	"actions/setup-node":                        {"cache", "", false},
	"actions/setup-python":                      {"cache", "", false},
	"actions/setup-java":                        {"cache", "", false},
	"actions/setup-dotnet":                      {"cache", "", false},
	"graalvm/setup-graalvm":                     {"cache", "", false},
	"ruby/setup-ruby":                           {"bundler-cache", "", false},
	"astral-sh/setup-uv":                        {"enable-cache", "false", true},
	"swatinem/rust-cache":                       {"lookup-only", "true", true},
	"actions-rust-lang/setup-rust-toolchain":    {"cache", "false", true},
	"gradle/actions/setup-gradle":               {"cache-disabled", "true", true},
	"oven-sh/setup-bun":                         {"no-cache", "true", true},
	"pyo3/maturin-action":                       {"sccache", "", false},
	"mlugg/setup-zig":                           {"use-cache", "false", true},
	"jdx/mise-action":                           {"cache", "false", true},
	"ramsey/composer-install":                   {"ignore-cache", "true", true},
	"mozilla-actions/sccache-action":            {"", "", true},
	"nix-community/cache-nix-action":            {"", "", true},
	"awalsh128/cache-apt-pkgs-action":           {"", "", true},
	"determinatesystems/magic-nix-cache-action": {"use-gha-cache", "false", true},
}

// publishers are actions that publish what the job made.
var publishers = []string{
	"pypa/gh-action-pypi-publish", "rubygems/release-gem", "jreleaser/release-action", "goreleaser/goreleaser-action",
	"softprops/action-gh-release", "ncipollo/release-action", "docker/build-push-action", "redhat-actions/push-to-registry",
	"aws-actions/amazon-ecs-deploy-task-definition", "azure/functions-action", "azure/container-apps-deploy-action",
	"cloudflare/wrangler-action", "google-github-actions/deploy-cloudrun", "google-github-actions/deploy-appengine",
	"google-github-actions/deploy-cloud-functions", "actions/attest-build-provenance", "changesets/action",
}

var publishCommand = regexp.MustCompile(`(?m)(?:^\s*(?:npm|pnpm|yarn|cargo|poetry|uv|flit|hatch|bun)\s+(?:npm\s+)?publish\b|\btwine\s+upload\b|\bgem\s+push\b|\bgh\s+release\s+(?:create|upload)\b|\bgoreleaser\s+release\b|\bdocker\s+push\b|\bmvn\b[^\n]*\bdeploy\b)[^\n]*`)

// cachePoisoning finds caches that are restored where something is published, and jobs
// that save them where strangers can start the workflow.
var cachePoisoning = rule{"cache-poisoning",
	"any job of the default branch can write this cache, and what it put there goes into what is published",
	func(d *document, report reporter) {
		reportSavingForStrangers(d, report)
		released := d.startsOnRelease()
		for j, s := range d.steps() {
			if d.cacheMode(j).restores() && (released || slices.ContainsFunc(j.steps, publishes)) && d.restoresCache(s) {
				report(s.uses, s.name+" restores a cache in a job that publishes", cacheFix(s.name))
			}
		}
	}}

// cacheMode is what a job may do with caches, "" where nobody says
// (https://github.blog/changelog/2026-09-10-control-github-actions-cache-access-with-cache-mode).
type cacheMode string

// cacheMode returns the mode of a job: its own, or else that of the workflow.
func (d *document) cacheMode(j job) cacheMode {
	if own := text(field(j.node, "cache-mode")); own != "" {
		return cacheMode(own)
	}
	return cacheMode(text(field(d.root, "cache-mode")))
}

func (m cacheMode) restores() bool { return m != "none" && m != "write-only" }

// reportSavingForStrangers reports the modes that let a workflow save caches which
// strangers can start: without one it may only restore them.
func reportSavingForStrangers(d *document, report reporter) {
	if !d.startsOn(privileged...) {
		return
	}
	check := func(n *yaml.Node) {
		if mode := text(n); mode == "write" || mode == "write-only" {
			report(n, "cache-mode: "+mode+" lets a workflow that strangers can start save caches for the default branch",
				"leave cache-mode out, or write cache-mode: read, and save the cache in a workflow on push")
		}
	}
	check(field(d.root, "cache-mode"))
	for _, j := range d.jobs {
		check(field(j.node, "cache-mode"))
	}
}

// cacheFix says how to switch off the cache of an action.
func cacheFix(action string) string {
	switch c := cacheActions[action]; {
	case c.input == "":
		return "leave this step out where something is published"
	case c.off == "":
		return "leave " + c.input + " out where something is published"
	default:
		return "with: " + c.input + ": " + c.off
	}
}

// startsOnRelease reports whether a release starts the workflow: a published release, a
// pushed tag, or a pushed release branch.
func (d *document) startsOnRelease() bool {
	if d.startsOn("release") {
		return true
	}
	push := d.triggers["push"]
	if field(push, "tags") != nil {
		return true
	}
	return slices.ContainsFunc(texts(field(push, "branches")), func(b string) bool { return strings.HasPrefix(b, "release") })
}

func publishes(s step) bool {
	if s.run != nil {
		return slices.ContainsFunc(publishCommand.FindAllString(s.run.Value, -1), func(line string) bool { return !strings.Contains(line, "dry-run") })
	}
	if s.name == "docker/build-push-action" {
		return s.input("push") != "" && s.input("push") != "false"
	}
	return slices.Contains(publishers, s.name)
}

// restoresCache reports whether a step restores a cache where a release is made.
func (d *document) restoresCache(s step) bool {
	c, known := cacheActions[s.name]
	if !known || notForTags.MatchString(text(field(s.node, "if"))) {
		return false
	}
	value := text(field(s.with, c.input))
	switch {
	case c.input == "" || value == "":
		return c.byDefault && (s.name != "astral-sh/setup-uv" || d.actionVersion(s) < 10) // off since then
	case c.off == "true": // the input switches the cache off
		return !strings.EqualFold(value, "true") && !onlyForTags.MatchString(value)
	}
	return !strings.EqualFold(value, "false") && !notForTags.MatchString(value)
}

// Conditions that are false when a tag was pushed or a release published, and
// conditions that are true only then.
var (
	notForTags = regexp.MustCompile(`!\s*startsWith\(\s*github\.ref\s*,\s*'refs/tags|github\.ref_type\s*(?:!=\s*'tag'|==\s*'branch')|` +
		`github\.ref\s*==\s*'refs/heads/|github\.event_name\s*(?:==\s*'(?:pull_request|merge_group|schedule)'|!=\s*'(?:release|push)')`)
	onlyForTags = regexp.MustCompile(`(?:^|[^!\s])\s*startsWith\(\s*github\.ref\s*,\s*'refs/tags|github\.ref_type\s*==\s*'tag'|github\.event_name\s*==\s*'(?:release|push)'`)
)
