package values

import (
	"github.com/breadcrumb/action/engine/patch/internal/scan"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// keyedConstant reads the literal at i as what a map has for a key: new Map([["save", "x"]]),
// Map.of("save", "x"), { ["save"] = "x" }, dict(save="x"), selectors.put("save", "x").
func keyedConstant(s *source.File, i int) (Constant, bool) {
	key, start := s.MapKey(i)
	if key < 0 || start < 0 {
		return Constant{}, false
	}
	k := Constant{Name: s.Text(key), keyed: true, scope: s.Whole(), at: start}
	if text, ok := s.Literal(key); ok {
		k.Name = text
	}
	isPut := s.Text(start+1) == "." && source.PutsIntoMap[s.Text(start+2)]
	if !isPut {
		if s.Text(start-1) != "=" {
			return k, false
		}
		k.at = mapName(s, start-1)
	}
	if s.Kind(k.at) != scan.Ident {
		return k, false
	}
	k.owner = s.Text(k.at)
	k.findScope(s, isPut)
	return k, true
}

// mapName returns the name of the map whose value begins behind the equals sign at sign, or
// another token where its type has types of its own.
func mapName(s *source.File, sign int) int {
	at := sign - 1
	if s.Text(at) == "}" { // of a property: { get; } =
		at = s.End(at) - 1
	}
	if s.Kind(at) == scan.Ident && s.Text(at-1) == ":" && s.Kind(at-2) == scan.Ident { // selectors: dict =
		at -= 2
	}
	return at
}

// findScope sets where the map is visible: where it is made, also where it is only put into
// at the constant.
func (k *Constant) findScope(s *source.File, isPut bool) {
	made := k.at
	if isPut {
		for _, j := range s.Idents[k.owner] {
			if s.Text(j+1) == "=" {
				made = j
				break
			}
		}
	}
	switch open := s.Parent[made]; {
	case s.Dialect.Scan == scan.Python:
		if class, scope := PythonOwner(s, made); class == "" && !s.IsMember(made) {
			k.scope = scope
		}
	case open >= 0 && s.TypeName(open) != "":
		k.private = isPrivate(s, made)
	case open >= 0 && !s.IsMember(made):
		k.scope = s.SpanOf(open, s.End(open))
	}
}

var (
	takesFromMap = scan.WordSet("get Get at")
	// asksMap are the methods and properties of a map that give none of its values.
	asksMap = scan.WordSet("has containsKey ContainsKey size length Count isEmpty")
)

// keyedUses returns the places that take the value of the constant's key out of its map, and
// false when one does more with the map, or takes a value by a key that is computed.
func (f *follower) keyedUses() ([]Use, bool) {
	var out []Use
	for _, in := range f.files {
		if in != f.own && !f.knowsMap(in) {
			continue
		}
		for _, j := range in.Idents[f.owner] {
			isMade := in == f.own && in.Text(j+1) == "=" && (j == f.at || f.own.Text(f.at+1) == ".")
			if isMade || in == f.own && (j == f.at && in.Text(j+1) != "." || !f.scope.Contains(in.Tokens[j].Start)) || in.InImport(j) {
				continue
			}
			last, ok := f.takenAt(in, j)
			if !ok {
				return nil, false
			}
			if last > 0 {
				out = append(out, Use{In: in, First: in.Leftmost(j), Last: last})
			}
		}
	}
	return out, true
}

// knowsMap reports whether a file other than the map's own may mean it by its name.
func (f *follower) knowsMap(in *source.File) bool {
	for _, j := range in.Idents[f.owner] {
		if in.InImport(j) || in.IsMember(j) || f.own.Dialect.Scan == scan.Java || f.own.Dialect.Scan == scan.CSharp {
			return true
		}
	}
	return false
}

// takenAt returns the last token of what takes the constant's value out of the map that the
// name at j is, 0 where nothing does, and false when more is done with the map.
func (f *follower) takenAt(in *source.File, j int) (last int, ok bool) {
	next, open := in.Text(j+1), j+1
	if next == "." || next == "?." {
		switch name := in.Text(j + 2); {
		case asksMap[name]:
			return 0, true
		case source.PutsIntoMap[name]:
			key, _ := in.Literal(j + 4)
			return 0, in.Text(j+3) == "(" && in.Kind(j+4) == scan.String && (key != f.Name || in == f.own && j == f.at)
		case takesFromMap[name] && in.Text(j+3) == "(":
			open = j + 3
		case in.Dialect.Scan == scan.Python && in.Text(j+3) != "(": // of a SimpleNamespace
			if name != f.Name {
				return 0, true
			}
			return j + 2, true
		default:
			return 0, false
		}
	}
	if in.Text(open) != "[" && open == j+1 {
		return 0, false
	}
	last = in.End(open)
	key, isText := in.Literal(open + 1)
	switch {
	case !isText || open+2 != last:
		return 0, false
	case in.Text(last+1) == "=" && in.Text(last+2) != "=": // put into it
		return 0, key != f.Name
	case key != f.Name:
		return 0, true
	case in.Dialect.IsScript() && in.Text(last+1) == "!":
		last++
	}
	return last, true
}
