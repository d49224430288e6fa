package organisation

import "time"

// restRuns is how many runs of the default branch may take until all that was saved is
// taken in: some until what is listed goes back far enough, and then each takes in at
// least five deltas. Every workflow takes in those of all pull requests' runs, of which a
// busy organisation has hundreds.
func (o *organisation) restRuns() int { return 40 + len(o.model.records)/5 }

// comeToRest lets the default branch of each workflow run until it has taken in what
// is left, which [organisation.check] then looks for.
func (o *organisation) comeToRest() {
	o.waiting = nil
	for i, w := range o.workflows {
		if i > 0 && o.shares(w, o.workflows[0]) {
			return
		}
		for n, most := 0, o.restRuns(); ; n++ {
			if n == most {
				o.fail(ruleHistory, "%s still has not read all of its history after %d runs: %+v", w.path, n, o.model.records[len(o.model.records)-1].result.Outcome.Notices)
				return
			}
			o.now = o.now.Add(time.Hour)
			r := o.startOne(w, workflowRun{event: "schedule", ref: "refs/heads/" + o.main.name, branch: o.main.name, isDefault: true, tested: o.main.tip, head: o.main.tip.sha})
			o.current = "the organisation comes to rest"
			o.runJob(&job{r, w.jobs[0], 1}, calmRoll(), func() {})
			if last := o.model.records[len(o.model.records)-1]; !o.toldOfGap(last) {
				break
			}
		}
	}
}

// calmRoll is a roll with which a runner's clock is right.
func calmRoll() uint32 {
	roll := uint32(0)
	for skewOf(roll) != 0 {
		roll++
	}
	return roll
}
