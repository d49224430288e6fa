package delta

import "slices"

// Fit returns the part of a delta that can be written, and how many records are not in
// it. What people decided comes first, then the run that wrote the delta, other runs, and
// what was learned. A run is there with all its results and heals or not at all: with
// some it would look as if the others had not been there.
func (d *Delta) Fit() (part *Delta, left int) { return d.fit(maxBody, maxRecords) }

func (d *Delta) fit(body, records int) (part *Delta, left int) {
	part = &Delta{Run: d.Run, Schema: d.Schema}
	for _, unit := range d.units() {
		size := 0
		for _, r := range unit {
			line, err := encodeRecord(r)
			if err != nil || len(line) >= maxLine {
				size = body // nobody can read it
			}
			size += len(line) + 1
		}
		if size > body || len(unit) > records {
			left += len(unit)
			continue
		}
		body, records = body-size, records-len(unit)
		part.Records = append(part.Records, unit...)
	}
	return part, left
}

// units returns the records in the order in which they are wanted, each run with all that
// is of it.
func (d *Delta) units() [][]Record {
	runs := map[string][]Record{}
	var order []string
	var decided, learned [][]Record
	own := ""
	for _, r := range d.Records {
		if run, ok := r.(*Run); ok {
			id := run.Key.ID(run.Payload)
			if d.Run != nil && run.Key == *d.Run {
				own = id
			}
			order = append(order, id)
			runs[id] = append(runs[id], r)
		}
	}
	for _, r := range d.Records {
		switch r := r.(type) {
		case *Run:
		case *Result:
			runs[r.Run] = append(runs[r.Run], r)
		case *resultLine:
			runs[r.run] = append(runs[r.run], r)
		case *Heal:
			if r.Run == "" {
				learned = append(learned, []Record{r})
			} else {
				runs[r.Run] = append(runs[r.Run], r)
			}
		case *Fingerprint, *Page, *SeedResult:
			learned = append(learned, []Record{r})
		default:
			decided = append(decided, []Record{r})
		}
	}
	units := append(decided, runs[own])
	for _, id := range order {
		if id != own {
			units = append(units, runs[id])
		}
	}
	return slices.DeleteFunc(append(units, learned...), func(unit []Record) bool { return len(unit) == 0 })
}
