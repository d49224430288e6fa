package workflowlint

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

const (
	nameThem  = "permissions: contents: read at the top, and in each job what that job needs"
	moveToJob = "permissions: {} at the top, and this one in the job that needs it"
)

// excessivePermissions finds jobs that get the repository's default token, or
// more than one job needs.
func excessivePermissions(d *document) []Finding {
	if d.action {
		return nil
	}
	var found []Finding
	top := field(d.root, "permissions")
	found = append(found, tooWide(top)...)
	own := 0
	for _, j := range d.jobs {
		p := field(j.node, "permissions")
		found = append(found, tooWide(p)...)
		switch {
		case p != nil:
			own++
		case top == nil && !d.callerDecides():
			found = append(found, at(j.key, "the job "+j.key.Value+" names no permissions, so its token may do what the repository's settings allow, perhaps write everything", nameThem))
		}
	}
	if len(d.jobs) < 2 || own == len(d.jobs) {
		return found
	}
	pairs(top, func(scope, access *yaml.Node) {
		if text(access) == "write" {
			found = append(found, at(scope, fmt.Sprintf("%s: write is for all %d jobs", scope.Value, len(d.jobs)), moveToJob))
		}
	})
	return found
}

// tooWide finds the words that stand for every permission.
func tooWide(p *yaml.Node) []Finding {
	switch text(p) {
	case "write-all":
		return []Finding{at(p, "write-all lets the token write everything", nameThem)}
	case "read-all":
		return []Finding{at(p, "read-all lets the token read everything, also secrets found by scanning and private packages", nameThem)}
	}
	return nil
}

// callerDecides says whether the workflow is only called by others, whose
// permissions it gets.
func (d *document) callerDecides() bool {
	return len(d.triggers) == 1 && d.fires("workflow_call")
}
