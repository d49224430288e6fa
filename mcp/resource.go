package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/breadcrumb/action/report"
)

// resourceType is the media type of every resource.
const resourceType = "application/json"

// resource is one answer that needs no question, at an address of its own.
type resource struct {
	name, title string
	uri         string
	description string
	pick        func(reportAnswer) any // what it shows of what breadcrumb_report answers without arguments
}

type quarantineAnswer struct {
	Quarantine []report.SurveyEntry `json:"quarantine"`
	Truncated  truncated            `json:"truncated"`
}

type causesAnswer struct {
	Causes    []report.SurveyCause   `json:"causes"`
	Failing   []report.SurveyFailing `json:"failing_tests"`
	Truncated truncated              `json:"truncated"`
}

func (s *Server) addResources() {
	question, err := withDefaults[reportQuestion]()
	if err != nil {
		panic(fmt.Sprintf("arguments of resources: %v", err))
	}
	s.addResource(question, resource{
		name: "report", title: fmt.Sprintf("Report of the last %d days", question.Days), uri: "breadcrumb://report",
		description: "What breadcrumb_report answers without arguments.",
		pick:        func(r reportAnswer) any { return r },
	})
	s.addResource(question, resource{
		name: "quarantine", title: "Quarantine", uri: "breadcrumb://quarantine",
		description: "The tests in quarantine, each with the reason and what lets it out.",
		pick:        func(r reportAnswer) any { return quarantineAnswer{r.Quarantine, r.Truncated.of("quarantine")} },
	})
	s.addResource(question, resource{
		name: "causes", title: "What fails now", uri: "breadcrumb://causes",
		description: "What the tests fail for whose newest execution failed: each cause once, with all its tests.",
		pick: func(r reportAnswer) any {
			return causesAnswer{r.Causes, r.Failing, r.Truncated.of("causes", "failing_tests")}
		},
	})
}

// addResource registers a resource. Its text is an answer as tools give it, between the
// same marks.
func (s *Server) addResource(question reportQuestion, r resource) {
	s.sdk.AddResource(&sdk.Resource{Name: r.name, Title: r.title, URI: r.uri, Description: r.description, MIMEType: resourceType},
		func(ctx context.Context, _ *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			ctx, cancel := context.WithTimeout(ctx, callTimeout)
			defer cancel()
			answer, err := s.guardCall(r.uri, func() (encoded json.RawMessage, err error) {
				err = s.withReading(ctx, "", func(ctx context.Context, db Reading) error {
					found, err := s.loadReport(ctx, db, question)
					if err == nil {
						encoded, err = encodeAnswer(r.pick(found))
					}
					return err
				})
				return encoded, err
			})
			if err != nil {
				return nil, Problem(r.uri + ": " + answerText(err.Error()))
			}
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.uri, MIMEType: resourceType, Text: string(answer)}}}, nil
		})
}

// withDefaults returns the arguments of a tool that is asked without any.
func withDefaults[In any]() (in In, err error) {
	_, schema, err := inputSchema[In]()
	if err == nil {
		err = readArguments(nil, schema, &in)
	}
	return in, err
}

// of returns the counts of the lists with these keys and of lists in them.
func (t truncated) of(keys ...string) truncated {
	out := truncated{}
	for key, missing := range t {
		if list, _, _ := strings.Cut(key, "."); slices.Contains(keys, list) {
			out[key] = missing
		}
	}
	return out
}
