package workflowlint

import (
	"slices"
	"strings"
)

// fixedOutputs are the outputs of actions whose text nobody chooses: numbers, hashes, URLs,
// versions of tools, true and false.
var fixedOutputs = map[string][]string{
	"actions/upload-artifact":               {"artifact-id", "artifact-url", "artifact-digest"},
	"actions/checkout":                      {"commit"},
	"actions/cache":                         {"cache-hit"},
	"actions/cache/restore":                 {"cache-hit"},
	"actions/setup-go":                      {"go-version", "cache-hit"},
	"actions/setup-node":                    {"node-version", "cache-hit"},
	"actions/setup-python":                  {"python-version", "python-path", "cache-hit"},
	"actions/setup-java":                    {"version", "distribution", "path", "cache-hit"},
	"actions/create-github-app-token":       {"token", "installation-id", "app-slug"},
	"actions/deploy-pages":                  {"page_url"},
	"actions/attest-build-provenance":       {"attestation-id", "attestation-url", "bundle-path"},
	"docker/build-push-action":              {"digest", "imageid"},
	"peter-evans/find-comment":              {"comment-id"},
	"peter-evans/create-or-update-comment":  {"comment-id"},
	"peter-evans/create-pull-request":       {"pull-request-number", "pull-request-url"},
	"softprops/action-gh-release":           {"id", "url", "upload_url"},
	"aws-actions/configure-aws-credentials": {"aws-account-id"},
}

// isFixedOutput reports whether a path below `steps` is an output whose text nobody
// chooses. Of dorny/paths-filter each filter's name is one, but not the lists of files.
func (j job) isFixedOutput(path []string) bool {
	if len(path) != 3 || path[1] != "outputs" {
		return false
	}
	for _, s := range j.steps {
		if !strings.EqualFold(text(field(s.node, "id")), path[0]) {
			continue
		}
		if s.name == "dorny/paths-filter" {
			return !strings.HasSuffix(path[2], "_files") && path[2] != "*"
		}
		return slices.Contains(fixedOutputs[s.name], path[2])
	}
	return false
}
