package mcp

import (
	"fmt"
	"math"
	"reflect"

	"github.com/breadcrumb/action/engine/text"
)

// maxText bounds one text of an answer in bytes; texts of many lines are
// bounded by the whole answer alone.
const maxText = 1 << 10

// linesTag marks a field as `text:"lines"`: source code, whose lines stay.
const linesTag = "text"

// shown returns a text as answers hold it.
func shown(s string) string { return text.Cut(text.Line(s), maxText) }

// clean returns a copy of an answer fit to be sent: every text, keys included,
// without what steers a terminal or hides, lists and maps never null and
// numbers finite.
func clean(answer any) (any, error) {
	v := reflect.ValueOf(answer)
	out := reflect.New(v.Type()).Elem()
	if err := cleanInto(out, v, false); err != nil {
		return nil, fmt.Errorf("clean answer: %w", err)
	}
	return out.Interface(), nil
}

func cleanInto(out, in reflect.Value, lines bool) error {
	switch in.Kind() {
	case reflect.String:
		if lines {
			out.SetString(text.Clean(in.String()))
		} else {
			out.SetString(shown(in.String()))
		}
	case reflect.Float32, reflect.Float64:
		if f := in.Float(); !math.IsNaN(f) && !math.IsInf(f, 0) {
			out.SetFloat(f)
		}
	case reflect.Bool, reflect.Int, reflect.Int64:
		out.Set(in)
	case reflect.Pointer:
		if in.IsNil() {
			return nil
		}
		out.Set(reflect.New(in.Type().Elem()))
		return cleanInto(out.Elem(), in.Elem(), lines)
	case reflect.Slice:
		out.Set(reflect.MakeSlice(in.Type(), in.Len(), in.Len()))
		return cleanItems(out, in, lines)
	case reflect.Array:
		return cleanItems(out, in, lines)
	case reflect.Map:
		return cleanMap(out, in)
	case reflect.Struct:
		return cleanFields(out, in)
	default:
		return fmt.Errorf("an answer holds no %s", in.Type())
	}
	return nil
}

func cleanItems(out, in reflect.Value, lines bool) error {
	for i := range in.Len() {
		if err := cleanInto(out.Index(i), in.Index(i), lines); err != nil {
			return err
		}
	}
	return nil
}

func cleanFields(out, in reflect.Value) error {
	for i := range in.NumField() {
		field := in.Type().Field(i)
		if err := cleanInto(out.Field(i), in.Field(i), field.Tag.Get(linesTag) == "lines"); err != nil {
			return fmt.Errorf("%s: %w", field.Name, err)
		}
	}
	return nil
}

// cleanMap keeps entries apart whose keys look alike once they are cleaned.
func cleanMap(out, in reflect.Value) error {
	out.Set(reflect.MakeMapWithSize(in.Type(), in.Len()))
	for entries := in.MapRange(); entries.Next(); {
		value := reflect.New(in.Type().Elem()).Elem()
		if err := cleanInto(value, entries.Value(), false); err != nil {
			return err
		}
		key := reflect.ValueOf(shown(entries.Key().String()))
		for n := 2; out.MapIndex(key).IsValid(); n++ {
			key = reflect.ValueOf(fmt.Sprintf("%s (%d)", shown(entries.Key().String()), n))
		}
		out.SetMapIndex(key, value)
	}
	return nil
}
