package githubtest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
)

// The files into which the program describe writes GitHub's descriptions, relative
// to the top of the module. They have the versions of their npm packages.
const (
	descriptionFile = "bin/github-api-23.0.2-releases.json.gz"
	schemaFile      = "bin/github-graphql-15.26.1.graphql.gz"
)

// Description is GitHub's own description of its API, in OpenAPI and for GraphQL
// as a schema, against which every server checks the requests it carries out and
// its answers.
type Description struct {
	doc    *openapi3.T
	schema *ast.Schema
}

// FindDescription returns the description that `make description` left in the
// module of the working directory, and an [fs.ErrNotExist] where it is missing.
var FindDescription = sync.OnceValues(func() (*Description, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find GitHub's description: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return readDescription(dir)
		}
		if dir == filepath.Dir(dir) {
			return nil, fmt.Errorf("find GitHub's description: no go.mod above: %w", fs.ErrNotExist)
		}
		dir = filepath.Dir(dir)
	}
})

func readDescription(dir string) (_ *Description, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("read GitHub's description: %w", err)
		}
	}()
	text, err := unzip(filepath.Join(dir, descriptionFile))
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	if text, err = unzip(filepath.Join(dir, schemaFile)); err != nil {
		return nil, err
	}
	schema, err := readSchema(text)
	if err != nil {
		return nil, err
	}
	return &Description{doc, schema}, nil
}

func unzip(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(unzipped)
}

// Check compares a request and its answer with GitHub's description. The path of the
// request is the one within the API. Check returns the name of the operation, and an
// error that says how they differ. It does not compare a request that was refused; it
// compares the refusal where GitHub describes one.
func (d *Description) Check(r *http.Request, body []byte, answer *httptest.ResponseRecorder) (operation string, err error) {
	if r.URL.Path == "/graphql" {
		return d.checkQuery(body, answer)
	}
	refused := answer.Code >= http.StatusBadRequest
	route, values := d.operation(r.Method, r.URL.Path)
	switch {
	case route == nil && refused:
		return "", nil
	case route == nil:
		return "", fmt.Errorf("GitHub has no %s %s", r.Method, r.URL.Path)
	}
	operation = route.Method + " " + route.Path
	r = r.Clone(context.WithoutCancel(r.Context()))
	if r.Header.Get("Content-Type") == "" { // GitHub takes everything for JSON
		r.Header.Set("Content-Type", "application/json")
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	input := &openapi3filter.RequestValidationInput{Request: r, PathParams: values, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, MultiError: true, IncludeResponseStatus: true}}
	if !refused {
		if wrong := openapi3filter.ValidateRequest(r.Context(), input); wrong != nil {
			err = fmt.Errorf("request: %s", shortenError(wrong))
		}
	}
	if refused && route.Operation.Responses.Status(answer.Code) == nil || strings.Contains(r.Header.Get("Accept"), "raw") { // bytes, described in words
		return operation, err
	}
	output := &openapi3filter.ResponseValidationInput{RequestValidationInput: input, Status: answer.Code, Header: answer.Header(), Options: input.Options}
	output.SetBodyBytes(answer.Body.Bytes())
	if wrong := openapi3filter.ValidateResponse(r.Context(), output); wrong != nil {
		err = errors.Join(err, fmt.Errorf("%s: answer %d: %s", operation, answer.Code, shortenError(wrong)))
	}
	return operation, err
}

// operation returns the operation for a path and the values of its parameters. Where
// several operations match it returns the one with the fewest parameters.
func (d *Description) operation(method, path string) (*routers.Route, map[string]string) {
	var best *routers.Route
	var values map[string]string
	for template, item := range d.doc.Paths.Map() {
		if item.GetOperation(method) == nil {
			continue
		}
		pattern := template
		for _, end := range []string{"/{path}", "/git/ref/{ref}", "/git/refs/{ref}"} {
			if strings.HasSuffix(template, end) { // a file's path and a ref of git take the rest
				pattern = strings.TrimSuffix(template, "}") + "...}"
			}
		}
		got, ok := matchPath(pattern, path)
		if ok && (best == nil || len(got) < len(values)) {
			best = &routers.Route{Spec: d.doc, Server: &openapi3.Server{}, Path: template, PathItem: item, Method: method, Operation: item.GetOperation(method)}
			values = got
		}
	}
	return best, values
}

// shortenError returns a validation error without the schema.
func shortenError(err error) string {
	skip := false
	lines := slices.DeleteFunc(strings.Split(err.Error(), "\n"), func(line string) bool {
		skip = strings.HasPrefix(line, "Schema:") || skip && strings.HasPrefix(line, " ")
		return skip
	})
	text := strings.Join(lines, " ")
	return text[:min(len(text), 1500)]
}

// readSchema reads GitHub's schema and drops the fields that it has twice.
func readSchema(text []byte) (*ast.Schema, error) {
	doc, err := parser.ParseSchemas(validator.Prelude, &ast.Source{Name: schemaFile, Input: string(text)})
	if err != nil {
		return nil, err
	}
	for _, kind := range doc.Definitions {
		seen := map[string]bool{}
		kind.Fields = slices.DeleteFunc(kind.Fields, func(f *ast.FieldDefinition) bool {
			again := seen[f.Name]
			seen[f.Name] = true
			return again
		})
	}
	return validator.ValidateSchemaDocument(doc)
}

// checkQuery compares a GraphQL request and its answer with GitHub's schema. It
// returns the names of the requested fields, and an error that says how they differ.
// It does not compare a request that was refused.
func (d *Description) checkQuery(body []byte, answer *httptest.ResponseRecorder) (operation string, err error) {
	if answer.Code != http.StatusOK {
		return "", nil
	}
	var asked struct {
		Query     string         `json:"query"`
		Variables map[string]any `json:"variables"`
	}
	var answered struct {
		Data   any   `json:"data"`
		Errors []any `json:"errors"`
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &answered); err != nil || len(answered.Errors) > 0 {
		return "", err
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return "", fmt.Errorf("GraphQL request: %w", err)
	}
	doc, faults := gqlparser.LoadQueryWithRules(d.schema, asked.Query, nil)
	if len(faults) > 0 {
		return "", fmt.Errorf("GraphQL query: %w", faults)
	}
	if len(doc.Operations) != 1 {
		return "", errors.New("GraphQL query: it must be one operation")
	}
	asks := doc.Operations[0]
	if _, err := validator.VariableValues(d.schema, asks, asked.Variables); err != nil {
		return "", fmt.Errorf("GraphQL variables: %w", err)
	}
	var names []string
	for _, s := range asks.SelectionSet {
		if f, ok := s.(*ast.Field); ok {
			names = append(names, f.Name)
		}
	}
	return "GraphQL " + strings.Join(names, " "), d.checkFields("answer", asks.SelectionSet, answered.Data)
}

// checkFields returns how an object of an answer differs from the requested fields.
func (d *Description) checkFields(at string, asked ast.SelectionSet, answered any) error {
	values, ok := answered.(object)
	if !ok {
		return fmt.Errorf("%s: %v is no object", at, answered)
	}
	fields, err := fieldsOf(asked)
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	for _, f := range fields {
		value, ok := values[f.Alias]
		if !ok {
			return fmt.Errorf("%s: no %s", at, f.Alias)
		}
		if f.Definition.Directives.ForName("deprecated") != nil {
			return fmt.Errorf("%s: %s is deprecated", at, f.Name)
		}
		if err := d.checkValue(at+"."+f.Alias, f.Definition.Type, f.SelectionSet, value); err != nil {
			return err
		}
	}
	if len(fields) != len(values) {
		return fmt.Errorf("%s: %d fields were asked, and %d are answered", at, len(fields), len(values))
	}
	return nil
}

// fieldsOf returns the fields that are asked of an object, those for its own type
// among them.
func fieldsOf(asked ast.SelectionSet) ([]*ast.Field, error) {
	var fields []*ast.Field
	for _, s := range asked {
		switch s := s.(type) {
		case *ast.Field:
			fields = append(fields, s)
		case *ast.InlineFragment:
			more, err := fieldsOf(s.SelectionSet)
			if err != nil {
				return nil, err
			}
			fields = append(fields, more...)
		default:
			return nil, errors.New("a named fragment is not checked")
		}
	}
	return fields, nil
}

// checkValue returns how a value of an answer differs from its type.
func (d *Description) checkValue(at string, kind *ast.Type, asked ast.SelectionSet, answered any) error {
	if answered == nil {
		if kind.NonNull {
			return fmt.Errorf("%s: null, which no %s is", at, kind)
		}
		return nil
	}
	if kind.Elem != nil {
		all, ok := answered.([]any)
		if !ok {
			return fmt.Errorf("%s: %v is no list", at, answered)
		}
		for i, one := range all {
			if err := d.checkValue(fmt.Sprintf("%s[%d]", at, i), kind.Elem, asked, one); err != nil {
				return err
			}
		}
		return nil
	}
	definition := d.schema.Types[kind.NamedType]
	if len(asked) > 0 {
		return d.checkFields(at, asked, answered)
	}
	if !isScalar(definition, answered) {
		return fmt.Errorf("%s: %v is no %s", at, answered, kind.NamedType)
	}
	return nil
}

// isScalar reports whether a value is of the enum or scalar type. GitHub's own
// scalars are strings.
func isScalar(definition *ast.Definition, answered any) bool {
	switch definition.Name {
	case "Int":
		n, ok := answered.(float64)
		return ok && n == math.Trunc(n) && n >= math.MinInt32 && n <= math.MaxInt32
	case "Float":
		_, ok := answered.(float64)
		return ok
	case "Boolean":
		_, ok := answered.(bool)
		return ok
	}
	text, ok := answered.(string)
	return ok && (definition.Kind != ast.Enum || definition.EnumValues.ForName(text) != nil)
}
