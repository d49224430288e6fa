package main

import (
	"bytes"
	_ "embed"
	"text/template"
)

//go:embed breadcrumb.rb.tmpl
var formula string

// writeFormula writes Homebrew's formula, which fetches the release's binaries and checks
// them by their digests (https://docs.brew.sh/Formula-Cookbook).
func (r *release) writeFormula() error {
	type source struct{ CPU, URL, SHA256 string }
	systems := map[string][]source{}
	for _, b := range r.binaries {
		if system := b.brew[0]; system != "" {
			systems[system] = append(systems[system], source{b.brew[1], repository + "/releases/download/v" + r.version + "/" + b.asset, b.sha256})
		}
	}
	var out bytes.Buffer
	err := template.Must(template.New("").Parse(formula)).Execute(&out, map[string]any{
		"Summary": "Keeps browser tests honest", "Repository": repository, "Version": r.version, "Systems": systems,
	})
	if err != nil {
		return err
	}
	return r.save("breadcrumb.rb", out.Bytes())
}
