package workflowlint

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/breadcrumb/action/internal/lazyregexp"
)

// ownTag matches Breadcrumb's own action by a tag of a release, as init writes it where
// it is not told a commit: a program cannot know the commit that its release will be.
var ownTag = lazyregexp.New(`^\s*breadcrumb/action(?:/native|/setup)?@v[0-9]+(?:\.[0-9]+\.[0-9]+)?\s*$`)

var digest = lazyregexp.New(`@sha256:[0-9a-f]{64}$`)

// unpinnedUses finds actions and reusable workflows that are not named by a
// commit. Those of this repository come with the commit that runs.
var unpinnedUses = rule{"unpinned-uses",
	"whoever can move a tag or branch of that repository runs code in this job, with its token and secrets",
	func(d *document, report reporter) {
		check := func(uses *yaml.Node) {
			name, ref, _ := strings.Cut(strings.TrimSpace(text(uses)), "@")
			if name == "" || ownTag.MatchString(text(uses)) || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "$/") || strings.HasPrefix(name, "docker://") || commit.MatchString(ref) {
				return
			}
			what := name + "@" + ref + " names a tag or branch, which can be moved to other code"
			if ref == "" {
				what = name + " names no commit"
			}
			report(uses, what, "pin it to a commit, with the version in a comment: uses: owner/name@<40 hex digits> # v1.2.3")
		}
		for _, j := range d.jobs {
			check(field(j.node, "uses"))
		}
		for _, s := range d.steps() {
			check(s.uses)
		}
	}}

var (
	imageLiteral = lazyregexp.New(`'([\w./-]+:[\w.-]+(?:@sha256:[0-9a-f]+)?)'`)
	digestLater  = lazyregexp.New(`@(?:sha256:)?\$\{\{`)
)

// imageNames returns the image names that a text stands for. Of an expression these
// are the names written in it, and none when only a run knows them.
func (j job) imageNames(text string) []string {
	var names []string
	for _, name := range j.expandMatrix(text) {
		name = strings.TrimSpace(name)
		if m := onlyExpression.FindStringSubmatch(name); m != nil {
			for _, l := range imageLiteral.FindAllStringSubmatch(m[1], -1) {
				names = append(names, l[1])
			}
		} else if !digestLater.MatchString(name) {
			names = append(names, name)
		}
	}
	return names
}

// unpinnedImages finds container images that are not named by their digest.
var unpinnedImages = rule{"unpinned-images",
	"whoever can push to that registry runs code in this job, with its token and secrets",
	func(d *document, report reporter) {
		for _, j := range d.jobs {
			check := func(n *yaml.Node, image string) {
				for _, name := range j.imageNames(image) {
					if name != "" && !digest.MatchString(name) {
						report(n, name+" names no digest, and a tag can be moved to another image", "pin it by digest: image:tag@sha256:<64 hex digits>")
					}
				}
			}
			checkDocker := func(n *yaml.Node) {
				if image, ok := strings.CutPrefix(text(n), "docker://"); ok {
					check(n, image)
				}
			}
			container := field(j.node, "container")
			if image := field(container, "image"); image != nil {
				container = image
			}
			check(container, text(container))
			for _, service := range pairs(field(j.node, "services")) {
				image := field(service, "image")
				check(image, text(image))
			}
			for _, s := range j.steps {
				checkDocker(s.uses)
			}
			if d.action {
				checkDocker(field(j.node, "image"))
			}
		}
	}}
