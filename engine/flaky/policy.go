package flaky

import "fmt"

// Policy names the rules by which tests enter and leave quarantine.
type Policy string

// PolicySeed holds the seed's documented rules: a test enters at Flaky or
// Chronic and leaves at Stable or Intermittent unless a person holds it.
const PolicySeed Policy = "seed"

// ParsePolicy returns the policy of that name. The error names the valid ones.
func ParsePolicy(name string) (Policy, error) {
	if p := Policy(name); p == PolicySeed {
		return p, nil
	}
	return "", fmt.Errorf("quarantine policy %.40q is not known (valid: %s)", name, PolicySeed)
}
