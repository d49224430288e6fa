package mcp

import (
	"context"
	"errors"
	"strconv"

	"github.com/breadcrumb/action/health"
)

// The states of a database, which are the seed's words.
const (
	statusOK      = "OK"
	statusWarning = "WARNING"
	statusMissing = "NOT FOUND"
)

type doctorAnswer struct {
	DBPath       string    `json:"db_path"`
	Schema       string    `json:"schema_version" jsonschema:"of the file; empty when there is none"`
	Fingerprints int       `json:"fingerprints"`
	Stale        int       `json:"stale_fingerprints" jsonschema:"not seen for 30 days"`
	Heals        int       `json:"healing_events"`
	TestRuns     int       `json:"test_runs" jsonschema:"executions of tests, every attempt one"`
	Quarantined  int       `json:"quarantined_tests"`
	Status       string    `json:"status" jsonschema:"OK, WARNING when a finding should be looked at, or NOT FOUND"`
	Message      string    `json:"message" jsonschema:"what to do where status is NOT FOUND"`
	Findings     []finding `json:"findings"`
}

type finding struct {
	Bad  bool   `json:"bad" jsonschema:"should be looked at"`
	Name string `json:"name"`
	Text string `json:"text"`
}

func (s *Server) addDoctor() {
	add(s, tool[ofDatabase, doctorAnswer]{
		name: "breadcrumb_doctor", title: "Check-up",
		description: "How the database is doing: schema, integrity, stale fingerprints, room in quarantine, leftovers of a program that was killed.",
		answer: func(ctx context.Context, in ofDatabase) (out doctorAnswer, err error) {
			err = s.with(ctx, in.DBPath, func(ctx context.Context, db Reading) error {
				h := health.Checkup{Name: s.opts.Archive.Name(), Now: s.opts.Now(), Size: db.Size, Leftover: db.Leftover}
				err := h.Read(ctx, db)
				if err == nil {
					out = newDoctorAnswer(h)
				}
				return err
			})
			if none := missing(""); errors.As(err, &none) {
				return doctorAnswer{DBPath: s.opts.Archive.Name(), Status: statusMissing, Message: none.Error()}, nil
			}
			return out, err
		},
	})
}

func newDoctorAnswer(h health.Checkup) doctorAnswer {
	n := h.Facts.Rows
	out := doctorAnswer{
		DBPath: h.Name, Schema: strconv.Itoa(h.Schema), Fingerprints: n.Fingerprints, Stale: h.Stale, Heals: n.Heals,
		TestRuns: n.Results, Quarantined: n.Quarantined, Status: statusOK,
	}
	for _, f := range h.Findings() {
		out.Findings = append(out.Findings, finding(f))
		if f.Bad {
			out.Status = statusWarning
		}
	}
	return out
}
