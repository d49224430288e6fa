package workflowlint

// secretsInherit finds called workflows that get every secret.
func secretsInherit(d *document) []Finding {
	var found []Finding
	for _, j := range d.jobs {
		if n := field(j.node, "secrets"); text(n) == "inherit" {
			found = append(found, at(n, "secrets: inherit gives all of them to "+text(field(j.node, "uses")), "name those it needs: secrets: NAME: ${{ secrets.NAME }}"))
		}
	}
	return found
}
