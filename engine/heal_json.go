package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// plainHeal is a HealEvent without its methods, for encoding/json.
type plainHeal HealEvent

// MarshalJSON returns the event as one breadcrumb.heal/v1 object: schema first,
// the known fields in their documented order, then Extra sorted by name. A name
// in Extra that the schema knows is left out: the field is what counts.
func (e HealEvent) MarshalJSON() ([]byte, error) {
	var line bytes.Buffer
	known, err := json.Marshal(struct {
		Schema string `json:"schema"`
		plainHeal
	}{HealSchema, plainHeal(e)})
	if err != nil {
		return nil, fmt.Errorf("write heal event: %w", err)
	}
	line.Write(known[:len(known)-1])
	fields := (&plainHeal{}).fields()
	for _, name := range slices.Sorted(maps.Keys(e.Extra)) {
		if _, ok := fields[name]; ok || name == "schema" {
			continue
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, fmt.Errorf("write heal event: %w", err)
		}
		line.WriteByte(',')
		line.Write(key)
		line.WriteByte(':')
		if err := json.Compact(&line, e.Extra[name]); err != nil {
			return nil, fmt.Errorf("write heal event: field %.40q: %w", name, err)
		}
	}
	line.WriteByte('}')
	return line.Bytes(), nil
}

// UnmarshalJSON reads one breadcrumb.heal/v1 object. Field names are matched
// exactly, null counts as absent, and fields the schema does not know go to
// Extra. An object of another schema is refused. Values are taken as they come;
// ReadHeals also checks them.
func (e *HealEvent) UnmarshalJSON(b []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return ExplainJSON(err)
	}
	if err := checkSchema(raw["schema"]); err != nil {
		return err
	}
	delete(raw, "schema")
	var plain plainHeal
	fields := plain.fields()
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		target, ok := fields[name]
		if !ok {
			continue
		}
		if err := json.Unmarshal(raw[name], target); err != nil {
			return fmt.Errorf("field %q: %w", name, ExplainJSON(err))
		}
		delete(raw, name)
	}
	if len(raw) > 0 {
		plain.Extra = raw
	}
	*e = HealEvent(plain)
	return nil
}

// fields returns where each known field of the schema is kept.
func (e *plainHeal) fields() map[string]any {
	return map[string]any{
		"test_id":        &e.TestID,
		"locator":        &e.Locator,
		"api":            &e.API,
		"action":         &e.Action,
		"confidence":     &e.Confidence,
		"runner_up":      &e.RunnerUp,
		"outcome":        &e.Outcome,
		"reason":         &e.Reason,
		"healed_locator": &e.HealedLocator,
		"original":       &e.Original,
		"healed":         &e.Healed,
		"matches":        &e.Matches,
		"site":           &e.Site,
		"occurrence":     &e.Occurrence,
		"page_url":       &e.PageURL,
		"timestamp":      &e.Timestamp,
	}
}

func checkSchema(raw json.RawMessage) error {
	if raw == nil {
		return fmt.Errorf("field \"schema\" is missing; every heal event says %q", HealSchema)
	}
	var schema string
	if err := json.Unmarshal(raw, &schema); err != nil {
		return fmt.Errorf("field \"schema\": %w", ExplainJSON(err))
	}
	if schema != HealSchema {
		return fmt.Errorf("schema %.60q is not known to this version, which reads %q", schema, HealSchema)
	}
	return nil
}

// ExplainJSON turns an error of encoding/json into a sentence without Go's names.
func ExplainJSON(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax) && syntax.Error() == "unexpected end of JSON input":
		return errors.New("the JSON ends in the middle")
	case errors.As(err, &syntax):
		return fmt.Errorf("not JSON at byte %d: %w", syntax.Offset, err)
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("%.60s: want %s, got %s", kind.Field, kindName(kind.Type), kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("want %s, got %s", kindName(kind.Type), kind.Value)
	default:
		return err
	}
}

func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "a number"
	case reflect.Int:
		return "a whole number"
	case reflect.Slice, reflect.Array:
		return "a list"
	default:
		return "an object"
	}
}
