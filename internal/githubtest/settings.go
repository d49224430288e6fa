package githubtest

import "net/http"

var settingRoutes = []route{
	{"GET", inRepo + "/environments/{environment}", readActions, (*call).getEnvironment},
	{"GET", inRepo + "/rulesets", read, (*call).listRulesets},
	{"GET", inRepo + "/rulesets/{id}", read, (*call).getRuleset},
}

func (c *call) getEnvironment() (any, error) {
	e := find(c.repo.Environments, func(e Environment) bool { return e.Name == c.PathValue("environment") })
	if e == nil {
		return nil, fail(http.StatusNotFound, "Not Found")
	}
	id := stableID(e.Name)
	rules := []object{}
	if len(e.Reviewers) > 0 {
		rules = append(rules, object{"id": id, "node_id": nodeID("Gate", id), "type": "required_reviewers", "prevent_self_review": false,
			"reviewers": shapesOf(e.Reviewers, func(login string) object { return object{"type": "User", "reviewer": c.userShape(login)} })})
	}
	shape := object{"id": id, "node_id": nodeID("Environment", id), "name": e.Name, "url": c.api("/environments/%s", e.Name), "html_url": c.html("/deployments"),
		"created_at": formatTime(c.now), "updated_at": formatTime(c.now), "protection_rules": rules, "deployment_branch_policy": nil}
	if e.Branches != "" {
		shape["deployment_branch_policy"] = object{"protected_branches": e.Branches == "protected", "custom_branch_policies": e.Branches == "custom"}
	}
	return shape, nil
}

// listRulesets lists them without their rules, as GitHub does.
func (c *call) listRulesets() (any, error) {
	return pageOf(c, c.repo.Rulesets, c.rulesetShape), nil
}

func (c *call) getRuleset() (any, error) {
	r := find(c.repo.Rulesets, func(r Ruleset) bool { return r.ID == c.number("id") })
	if r == nil {
		return nil, notFound
	}
	shape := c.rulesetShape(*r)
	shape["conditions"] = object{"ref_name": object{"include": r.Include, "exclude": append([]string{}, r.Exclude...)}}
	shape["rules"] = shapesOf(r.Rules, func(kind string) object { return object{"type": kind} })
	return shape, nil
}

func (c *call) rulesetShape(r Ruleset) object {
	return object{"id": r.ID, "name": r.Name, "target": r.Target, "source_type": "Repository", "source": c.repo.FullName, "enforcement": r.Enforcement,
		"node_id": nodeID("RRS", r.ID), "created_at": formatTime(c.now), "updated_at": formatTime(c.now)}
}
