package delta

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// encodeRecord returns the canonical line of a record, without its end.
func encodeRecord(r Record) (string, error) {
	switch r := r.(type) {
	case *Unknown:
		return r.Line, nil
	case *resultLine:
		return r.line, nil
	}
	setKind(r)
	return marshalCanonical(r)
}

func marshalCanonical(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// kindOf returns the kind in a canonical line.
func kindOf(line string) string {
	rest, ok := strings.CutPrefix(line, `{"_":"`)
	kind, _, ended := strings.Cut(rest, `"`)
	if !ok || !ended {
		return ""
	}
	return kind
}

// decodeLine decodes a line into a record and, when a newer version wrote it, the
// fields that this version does not know. Mostly one of the two is nil.
func decodeLine(line string) (Record, *Unknown, error) {
	var head struct {
		Kind string `json:"_"`
	}
	if err := json.Unmarshal([]byte(line), &head); err != nil {
		return nil, nil, fmt.Errorf("no JSON object: %w", err)
	}
	blank := kinds[head.Kind].blank
	if blank == nil {
		u, err := decodeUnknown(line)
		return nil, u, err
	}
	r := blank()
	if err := json.Unmarshal([]byte(line), r); err == nil {
		if again, err := encodeRecord(r); err == nil && again == line {
			return r, nil, nil
		}
	}
	return splitUnknown(head.Kind, line)
}

// Decode returns the record of the line where this version knows all of it, as when
// an older version kept the line; nil otherwise.
func (u *Unknown) Decode() Record {
	r, rest, err := decodeLine(u.Line)
	if err != nil || rest != nil {
		return nil
	}
	return r
}

// DecodeRun returns what the line says of a run, where it is part of a run that an
// older version handed on, and whether this version knows all of it; nil otherwise.
func (u *Unknown) DecodeRun() (r *Run, known bool) {
	if kindOf(u.Line) != KindRun {
		return nil, false
	}
	fields, err := fieldsOf(u.Line)
	if err != nil || checkCanonical(fields, u.Line) != nil || json.Unmarshal([]byte(u.Line), &r) != nil {
		return nil, false
	}
	names, err := fieldsKnown(KindRun, fields)
	return r, err == nil && len(names) == len(fields)
}

// decodeUnknown decodes a line of a kind that this version does not know.
func decodeUnknown(line string) (*Unknown, error) {
	fields, err := fieldsOf(line)
	if err != nil {
		return nil, err
	}
	return &Unknown{line}, checkCanonical(fields, line)
}

// splitUnknown splits a line into a record of the known fields and the rest.
func splitUnknown(kind, line string) (Record, *Unknown, error) {
	fields, err := fieldsOf(line)
	if err != nil {
		return nil, nil, err
	}
	if err := checkCanonical(fields, line); err != nil {
		return nil, nil, err
	}
	known, err := fieldsKnown(kind, fields)
	if err != nil {
		return nil, nil, err
	}
	rest := map[string]json.RawMessage{}
	for key, value := range fields {
		if !slices.Contains(known, key) {
			rest[key] = value
			delete(fields, key)
		}
	}
	r, whole, err := decodeFields(kind, fields)
	if err != nil {
		return nil, nil, err
	}
	if !whole {
		return nil, &Unknown{line}, nil
	}
	bare := true // it holds nothing but the fields that identify the record
	for key := range fields {
		bare = bare && (key == "_" || slices.Contains(kinds[kind].identity, key))
	}
	for _, key := range append([]string{"_"}, kinds[kind].identity...) {
		if value, ok := fields[key]; ok {
			rest[key] = value
		}
	}
	left, err := marshalCanonical(rest)
	if err != nil {
		return nil, nil, err
	}
	if bare {
		return nil, &Unknown{left}, nil
	}
	return r, &Unknown{left}, nil
}

// decodeFields decodes known fields, which need not be the whole record: an older
// version hands on, with those that identify the record, the fields alone that it
// did not know.
func decodeFields(kind string, fields map[string]json.RawMessage) (r Record, whole bool, err error) {
	text, err := marshalCanonical(fields)
	if err != nil {
		return nil, false, err
	}
	r = kinds[kind].blank()
	if err := json.Unmarshal([]byte(text), r); err != nil {
		return nil, false, err
	}
	again, err := encodeRecord(r)
	if err != nil || again == text {
		return r, true, err
	}
	all, err := fieldsOf(again)
	if err != nil {
		return nil, false, err
	}
	for key, value := range fields {
		if !bytes.Equal(all[key], value) {
			return nil, false, errors.New("not in canonical form")
		}
	}
	for _, key := range kinds[kind].identity {
		if _, identified := fields[key]; !identified {
			return nil, false, errors.New("not in canonical form")
		}
	}
	return r, false, nil
}

func fieldsOf(line string) (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(line), &fields); err != nil {
		return nil, fmt.Errorf("no JSON object: %w", err)
	}
	return fields, nil
}

// checkCanonical returns an error unless the keys of the line are sorted and unique
// and it has no spaces.
func checkCanonical(fields map[string]json.RawMessage, line string) error {
	again, err := marshalCanonical(fields)
	if err != nil {
		return err
	}
	if again != line {
		return errors.New("not in canonical form")
	}
	return nil
}

// fieldsKnown returns the keys of fields that a record of the kind has.
func fieldsKnown(kind string, fields map[string]json.RawMessage) ([]string, error) {
	known := []string{}
	for key, value := range fields {
		one, err := marshalCanonical(map[string]json.RawMessage{key: value})
		if err != nil {
			return nil, err
		}
		d := json.NewDecoder(bytes.NewReader([]byte(one)))
		d.DisallowUnknownFields()
		if err := d.Decode(kinds[kind].blank()); err == nil {
			known = append(known, key)
			continue
		}
		if err := json.Unmarshal([]byte(one), kinds[kind].blank()); err != nil {
			return nil, err
		}
	}
	return known, nil
}

// setKind sets the Kind of a record, which is its first field.
func setKind(r Record) { reflect.ValueOf(r).Elem().Field(0).SetString(r.kind()) }
