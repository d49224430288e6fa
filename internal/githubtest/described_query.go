package githubtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
)

// readSchema reads GitHub's schema, which has a field twice here and there.
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

// checkQuery returns what of a GraphQL request and its answer is not as GitHub's
// schema has it, and the names of what was asked. A request that was refused may
// be wrong in any way.
func (d *Description) checkQuery(body []byte, answer *httptest.ResponseRecorder) (operation string, err error) {
	if answer.Code != http.StatusOK {
		return "", nil
	}
	var asked struct {
		Query     string         `json:"query"`
		Variables map[string]any `json:"variables"`
	}
	var told struct {
		Data   any   `json:"data"`
		Errors []any `json:"errors"`
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &told); err != nil || len(told.Errors) > 0 {
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
	return "GraphQL " + strings.Join(names, " "), d.checkFields("answer", asks.SelectionSet, told.Data)
}

// checkFields returns how an object of an answer differs from what was asked.
func (d *Description) checkFields(at string, asked ast.SelectionSet, told any) error {
	values, ok := told.(object)
	if !ok {
		return fmt.Errorf("%s: %v is no object", at, told)
	}
	known := 0
	for _, s := range asked {
		f, ok := s.(*ast.Field)
		if !ok {
			return fmt.Errorf("%s: only fields are checked", at)
		}
		value, ok := values[f.Alias]
		if !ok {
			return fmt.Errorf("%s: no %s", at, f.Alias)
		}
		known++
		if f.Definition.Directives.ForName("deprecated") != nil {
			return fmt.Errorf("%s: %s is deprecated", at, f.Name)
		}
		if err := d.checkValue(at+"."+f.Alias, f.Definition.Type, f.SelectionSet, value); err != nil {
			return err
		}
	}
	if known != len(values) {
		return fmt.Errorf("%s: %d fields were asked, and %d are told", at, known, len(values))
	}
	return nil
}

// checkValue returns how a value of an answer differs from its type.
func (d *Description) checkValue(at string, kind *ast.Type, asked ast.SelectionSet, told any) error {
	if told == nil {
		if kind.NonNull {
			return fmt.Errorf("%s: null, which no %s is", at, kind)
		}
		return nil
	}
	if kind.Elem != nil {
		all, ok := told.([]any)
		if !ok {
			return fmt.Errorf("%s: %v is no list", at, told)
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
		return d.checkFields(at, asked, told)
	}
	if !isScalar(definition, told) {
		return fmt.Errorf("%s: %v is no %s", at, told, kind.NamedType)
	}
	return nil
}

// isScalar reports whether a value is of an enum or a scalar. Those of GitHub's
// own are strings.
func isScalar(definition *ast.Definition, told any) bool {
	switch definition.Name {
	case "Int":
		n, ok := told.(float64)
		return ok && n == math.Trunc(n) && n >= math.MinInt32 && n <= math.MaxInt32
	case "Float":
		_, ok := told.(float64)
		return ok
	case "Boolean":
		_, ok := told.(bool)
		return ok
	}
	text, ok := told.(string)
	return ok && (definition.Kind != ast.Enum || definition.EnumValues.ForName(text) != nil)
}
