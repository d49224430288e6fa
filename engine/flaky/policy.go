package flaky

import "fmt"

// Policy names the rules by which tests enter and leave quarantine.
type Policy string

// The policies.
const (
	// PolicySeed holds the seed's documented rules: a test enters at Flaky or
	// Chronic and leaves at Stable or Intermittent unless a person holds it.
	PolicySeed Policy = "seed"
	// PolicyEvidence quarantines a test that proved to be flaky and guards
	// every failure of it, see Judge.
	PolicyEvidence Policy = "evidence"
)

// ParsePolicy returns the policy of that name. The error names the valid ones.
func ParsePolicy(name string) (Policy, error) {
	if p := Policy(name); p == PolicySeed || p == PolicyEvidence {
		return p, nil
	}
	return "", fmt.Errorf("quarantine policy %.40q is not known (valid: %s, %s)", name, PolicyEvidence, PolicySeed)
}
