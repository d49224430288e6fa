package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/breadcrumb/action/engine/text"
)

// Bounds of an answer in bytes.
const (
	maxAnswer  = 1 << 20
	maxProblem = 2 << 10
)

// Problem is an error that the asking side can do something about, in words for
// it.
type Problem string

func (p Problem) Error() string { return string(p) }

// tool is one question with the types of its arguments and its answer.
type tool[In, Out any] struct {
	name, title string
	description string
	openWorld   bool // reaches outside this machine
	answer      func(context.Context, In) (Out, error)
}

// add offers a tool. Its schemas follow from its types, which must have some.
func add[In, Out any](s *Server, t tool[In, Out]) {
	in, err := inputSchema[In]()
	if err != nil {
		panic(fmt.Sprintf("arguments of %s: %v", t.name, err))
	}
	out, err := outputSchema[Out]()
	if err != nil {
		panic(fmt.Sprintf("answer of %s: %v", t.name, err))
	}
	resolved, err := in.Resolve(nil)
	if err != nil {
		panic(fmt.Sprintf("arguments of %s: %v", t.name, err))
	}
	destructive, openWorld := false, t.openWorld
	s.sdk.AddTool(&sdk.Tool{
		Name: t.name, Title: t.title, Description: t.description, InputSchema: in, OutputSchema: out,
		Annotations: &sdk.ToolAnnotations{Title: t.title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &destructive, OpenWorldHint: &openWorld},
	}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		ctx, cancel := context.WithTimeout(ctx, callTimeout)
		defer cancel()
		s.calls.Add(1)
		defer s.calls.Add(-1)
		return s.result(t.name, func() (json.RawMessage, error) { return t.call(ctx, resolved, r.Params.Arguments) }), nil
	})
}

// call reads the arguments and returns the answer as it is sent.
func (t tool[In, Out]) call(ctx context.Context, schema *jsonschema.Resolved, arguments json.RawMessage) (json.RawMessage, error) {
	var in In
	if err := readArguments(arguments, schema, &in); err != nil {
		return nil, Problem("arguments of " + t.name + ": " + err.Error())
	}
	out, err := t.answer(ctx, in)
	if err != nil {
		return nil, err
	}
	return mark(out)
}

// readArguments checks arguments and fills in the defaults of those left out.
func readArguments(arguments json.RawMessage, schema *jsonschema.Resolved, in any) error {
	object := map[string]any{}
	if len(arguments) > 0 {
		if err := json.Unmarshal(arguments, &object); err != nil {
			return errors.New("they are no JSON object")
		}
	}
	if object == nil { // "null"
		object = map[string]any{}
	}
	var given any = object
	if err := schema.ApplyDefaults(&given); err != nil {
		return err
	}
	if err := schema.Validate(given); err != nil {
		return err
	}
	text, err := json.Marshal(given)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, in)
}

// result runs a call and returns what the client gets: its answer, or what went
// wrong as the tool's own error.
func (s *Server) result(name string, call func() (json.RawMessage, error)) (result *sdk.CallToolResult) {
	defer func() {
		if fault := recover(); fault != nil {
			s.opts.Log.Error("tool failed", slog.String("tool", name), slog.Any("fault", fault), slog.String("stack", string(debug.Stack())))
			result = failed(Problem("Breadcrumb failed at this question; the server's log says where"))
		}
	}()
	answer, err := call()
	if err == nil && len(answer) > maxAnswer {
		err = Problem(fmt.Sprintf("the answer has %d bytes and may have %d: ask for less with limit, days or test_id", len(answer), maxAnswer))
	}
	if err != nil {
		if !errors.As(err, new(Problem)) {
			s.opts.Log.Warn("tool failed", slog.String("tool", name), slog.String("error", text.Line(err.Error())))
		}
		return failed(err)
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(answer)}}, StructuredContent: answer}
}

// failed tells an error under the seed's key. It may quote a test run, so it is
// marked as well.
func failed(err error) *sdk.CallToolResult {
	s, markErr := mark(struct {
		Error string `json:"error"`
	}{text.Cut(err.Error(), maxProblem)})
	if markErr != nil {
		s = json.RawMessage(`{"error":"the error cannot be told"}`)
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: string(s)}}}
}
