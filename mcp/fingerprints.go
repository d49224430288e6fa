package mcp

import (
	"context"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/report"
)

// maxParts bounds the attributes and ancestors of one fingerprint.
const maxParts = 64

type fingerprintsQuestion struct {
	ofDatabase
	TestID string `json:"test_id,omitempty" jsonschema:"only of this test"`
	Limit  int    `json:"limit,omitempty" jsonschema:"the first so many" bounds:"1 500 50"`
}

type fingerprintsAnswer struct {
	Fingerprints []fingerprint   `json:"fingerprints" jsonschema:"sorted by test and locator"`
	Total        int             `json:"total"`
	Truncated    truncated       `json:"truncated"`
	Notices      []report.Notice `json:"notices" jsonschema:"what could not be read"`
}

type fingerprint struct {
	TestID     string      `json:"test_id"`
	Locator    string      `json:"locator"`
	Tag        string      `json:"tag"`
	Text       string      `json:"text"`
	DOMPath    []string    `json:"dom_path" jsonschema:"tags from the root to the element"`
	Attributes [][2]string `json:"attributes" jsonschema:"pairs of name and value"`
}

func (s *Server) addFingerprints() {
	add(s, tool[fingerprintsQuestion, fingerprintsAnswer]{
		name: "breadcrumb_list_fingerprints", title: "Known elements",
		description: "The elements that tests use, as they were last seen: what a broken locator is healed by.",
		answer: func(ctx context.Context, in fingerprintsQuestion) (out fingerprintsAnswer, err error) {
			err = s.with(ctx, in.DBPath, func(ctx context.Context, db Reading) error {
				id, err := resolve(ctx, db, in.TestID)
				if err != nil {
					return err
				}
				found, err := db.Fingerprints(ctx, id, in.Limit)
				out = fingerprintsAnswer{Total: found.Total, Truncated: truncated{}}
				for _, f := range cut(out.Truncated, "fingerprints", found.List, in.Limit, found.Total-len(found.Notices)) {
					out.Fingerprints = append(out.Fingerprints, newFingerprint(f))
				}
				for _, n := range found.Notices[:min(len(found.Notices), maxParts)] {
					out.Notices = append(out.Notices, report.NewNotice(n))
				}
				return err
			})
			return out, err
		},
	})
}

func newFingerprint(f engine.Fingerprint) fingerprint {
	out := fingerprint{TestID: f.TestID, Locator: f.Locator, Tag: f.Tag, Text: f.Text, DOMPath: f.DOMPath[:min(len(f.DOMPath), maxParts)]}
	for _, a := range f.Attributes[:min(len(f.Attributes), maxParts)] {
		out.Attributes = append(out.Attributes, [2]string{a.Name, a.Value})
	}
	return out
}
