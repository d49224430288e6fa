package workflowlint

import (
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// caching says when an action restores a cache.
type caching struct {
	input     string // the input that decides, "" when there is none
	off       string // the value of input that switches the cache off; "" when any value but false switches it on
	byDefault bool
	alsoOff   []string // more values of input that switch the cache off
}

// cacheActions are the actions known to restore what another run saved.
var cacheActions = map[string]caching{
	"actions/cache":                             {input: "lookup-only", off: "true", byDefault: true},
	"actions/cache/restore":                     {input: "lookup-only", off: "true", byDefault: true},
	"actions/setup-go":                          {input: "cache", off: "false", byDefault: true},
	"actions/setup-node":                        {input: "cache"},
	"actions/setup-python":                      {input: "cache"},
	"actions/setup-java":                        {input: "cache"},
	"actions/setup-dotnet":                      {input: "cache"},
	"graalvm/setup-graalvm":                     {input: "cache"},
	"ruby/setup-ruby":                           {input: "bundler-cache"},
	"astral-sh/setup-uv":                        {input: "enable-cache", off: "false", byDefault: true},
	"docker/setup-buildx-action":                {input: "cache-binary", off: "false", byDefault: true},
	"swatinem/rust-cache":                       {input: "lookup-only", off: "true", byDefault: true},
	"actions-rust-lang/setup-rust-toolchain":    {input: "cache", off: "false", byDefault: true},
	"gradle/actions/setup-gradle":               {input: "cache-disabled", off: "true", byDefault: true},
	"oven-sh/setup-bun":                         {input: "no-cache", off: "true", byDefault: true},
	"pyo3/maturin-action":                       {input: "sccache"},
	"mlugg/setup-zig":                           {input: "use-cache", off: "false", byDefault: true},
	"jdx/mise-action":                           {input: "cache", off: "false", byDefault: true},
	"ramsey/composer-install":                   {input: "ignore-cache", off: "true", byDefault: true, alsoOff: []string{"yes", "1"}},
	"mozilla-actions/sccache-action":            {byDefault: true},
	"nix-community/cache-nix-action":            {byDefault: true},
	"awalsh128/cache-apt-pkgs-action":           {byDefault: true},
	"determinatesystems/magic-nix-cache-action": {input: "use-gha-cache", off: "false", byDefault: true},
}

// cachePoisoning finds caches that are restored where something is published, and jobs
// that save them where strangers can start the workflow.
var cachePoisoning = rule{"cache-poisoning",
	"any job of the default branch can write this cache, and what it put there goes into what is published",
	func(d *document, report reporter) {
		reportSavingForStrangers(d, report)
		for _, j := range d.jobs {
			if d.cacheMode(j).restores() {
				reportPoisonous(d, j, report)
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

// reportPoisonous reports the steps of a job that restore a cache in a situation in which
// what the job makes may be published.
func reportPoisonous(d *document, j job, report reporter) {
	told := map[*yaml.Node]bool{}
	for _, when := range d.starts {
		why := d.whyPublished(j, when)
		for _, s := range j.steps {
			c, known := cacheActions[s.name]
			if why == "" || !known || told[s.node] || !when.mayHold(text(field(s.node, "if"))) || !d.restores(s, c, when) {
				continue
			}
			told[s.node] = true
			report(s.uses, s.name+" restores a cache "+why, cacheFix(s.name))
		}
	}
}

// restores reports whether an action may restore a cache in a situation.
func (d *document) restores(s step, c caching, when situation) bool {
	switch s.name {
	case "actions/setup-node":
		if own := when.input(s.input("package-manager-cache")); own.text == "true" || !own.known || own.text == "" && d.cachesByItself(s) {
			return true
		}
	case "astral-sh/setup-uv": // off since then, unless it is told otherwise
		if value := s.input("enable-cache"); (value == "" || value == "auto") && d.actionVersion(s) >= 10 {
			return false
		}
	case "docker/setup-buildx-action": // without a version the runner's own is used
		if s.input("version") == "" {
			return false
		}
	}
	value := when.input(text(field(s.with, c.input)))
	switch {
	case value.known && value.text == "" && !value.truth:
		return c.byDefault
	case c.off == "true": // the input switches the cache off
		return !value.known || !slices.Contains(c.alsoOff, value.text) && !strings.EqualFold(value.text, "true")
	}
	return !value.known || !strings.EqualFold(value.text, "false")
}

// cachesByItself reports whether actions/setup-node caches without being told to: since
// version 5 where package.json names the package manager, since version 6 npm alone
// (https://github.com/actions/setup-node/pull/1374). An unknown version counts as a new one.
func (d *document) cachesByItself(s step) bool {
	version := d.actionVersion(s)
	switch d.checkout.PackageManager {
	case "npm":
		return version == 0 || version >= 5
	case "yarn", "pnpm":
		return version == 5
	}
	return false
}

// PackageManager returns the package manager that a package.json names for
// actions/setup-node: npm, yarn, pnpm, or "".
func PackageManager(packageJSON []byte) string {
	var manifest struct {
		PackageManager string
		DevEngines     struct{ PackageManager json.RawMessage }
	}
	if json.Unmarshal(packageJSON, &manifest) != nil {
		return ""
	}
	type engine struct{ Name string }
	var one engine
	var list []engine
	if json.Unmarshal(manifest.DevEngines.PackageManager, &one) == nil {
		list = append(list, one)
	} else if json.Unmarshal(manifest.DevEngines.PackageManager, &list) != nil {
		list = nil
	}
	top, _, _ := strings.Cut(strings.TrimPrefix(manifest.PackageManager, "^"), "@")
	for _, name := range append(list, engine{top}) {
		if slices.Contains([]string{"npm", "yarn", "pnpm"}, name.Name) {
			return name.Name
		}
	}
	return ""
}
