package workflowlint

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

var (
	commit = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
	digest = regexp.MustCompile(`@sha256:[0-9a-f]{64}$`)
)

const (
	pinUses  = "pin it to a commit, with the version in a comment: uses: owner/name@<40 hex digits> # v1.2.3"
	pinImage = "pin it by digest: image:tag@sha256:<64 hex digits>"
)

// unpinnedUses finds actions and reusable workflows that are not named by a
// commit. What lies in this repository comes with the commit that runs.
func unpinnedUses(d *document) []Finding {
	var found []Finding
	look := func(uses *yaml.Node) {
		name, ref, _ := strings.Cut(strings.TrimSpace(text(uses)), "@")
		if name == "" || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "docker://") || commit.MatchString(ref) {
			return
		}
		what := name + "@" + ref + " names a tag or branch, which can be moved to other code"
		if ref == "" {
			what = name + " names no commit"
		}
		found = append(found, at(uses, what, pinUses))
	}
	for _, j := range d.jobs {
		look(field(j.node, "uses"))
		for _, s := range j.steps {
			look(s.uses)
		}
	}
	return found
}

var (
	onlyExpression = regexp.MustCompile(`^\$\{\{(.*)\}\}$`)
	imageLiteral   = regexp.MustCompile(`'([\w./-]+:[\w.-]+(?:@sha256:[0-9a-f]+)?)'`)
	digestLater    = regexp.MustCompile(`@(?:sha256:)?\$\{\{`)
)

// images returns the names that a text stands for. Of an expression those are
// the names written in it, and none where only a run knows them.
func (j job) images(text string) []string {
	var names []string
	for _, name := range j.values(text) {
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
func unpinnedImages(d *document) []Finding {
	var found []Finding
	for _, j := range d.jobs {
		look := func(n *yaml.Node, image string) {
			for _, name := range j.images(image) {
				if name != "" && !digest.MatchString(name) {
					found = append(found, at(n, name+" names no digest, and a tag can be moved to another image", pinImage))
				}
			}
		}
		if container := field(j.node, "container"); text(container) != "" {
			look(container, text(container))
		} else if image := field(container, "image"); image != nil {
			look(image, text(image))
		}
		pairs(field(j.node, "services"), func(_, service *yaml.Node) {
			if image := field(service, "image"); image != nil {
				look(image, text(image))
			}
		})
		for _, s := range j.steps {
			if image, ok := strings.CutPrefix(text(s.uses), "docker://"); ok {
				look(s.uses, image)
			}
		}
		if image, ok := strings.CutPrefix(text(field(j.node, "image")), "docker://"); ok && d.action {
			look(field(j.node, "image"), image)
		}
	}
	return found
}
