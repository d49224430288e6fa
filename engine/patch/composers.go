package patch

import (
	"bytes"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/calls"
	"github.com/breadcrumb/action/engine/patch/internal/checkout"
	"github.com/breadcrumb/action/engine/patch/internal/source"
)

// composers are the locator calls of files that compose what they look for.
type composers map[string][]composer

// composer is one of them, at a parenthesis.
type composer struct {
	open int
	kind locator.Kind
	made source.Template
}

// of returns those of a file, which it reads once.
func (c composers) of(t *checkout.Tree, file string) []composer {
	found, ok := c[file]
	if ok {
		return found
	}
	if mayCompose(t.Bytes(file)) {
		if src, err := t.Load(file); err == nil {
			found = composersIn(src)
		}
	}
	c[file] = found
	return found
}

// mayCompose reports whether a text can have a locator call that composes what it looks for.
func mayCompose(text []byte) bool {
	signs := []string{"${", "f\"", "f'", "$\"", "$@\"", "@$\"", "+ \"", "\" +", "+ '", "' +", "ormat", "rintf", "\" %"}
	return slices.ContainsFunc(signs, func(sign string) bool { return bytes.Contains(text, []byte(sign)) })
}

func composersIn(src *source.File) []composer {
	var out []composer
	for open := range src.Tokens {
		if src.Text(open) != "(" || src.End(open) == open {
			continue
		}
		kind := calls.ArgumentKind(src, open, 0)
		if kind == "" {
			continue
		}
		if made := source.ComposedOf(src, open+1); len(made) > 1 && made.TextLen() > 1 {
			out = append(out, composer{open, kind, made})
		}
	}
	return out
}

// mayMake reports whether a template gives a value with texts that are said.
func mayMake(made source.Template, value string, says func(text string) bool) bool {
	if !strings.HasPrefix(value, made[0]) || !strings.HasSuffix(value, made[len(made)-1]) {
		return false
	}
	holes, ok := made.Holes(value)
	return ok && mayFill(holes, says)
}

// composedElsewhere returns the locator calls which may compose the old value, of what the
// test hands to them, in files that it reaches and that do not have the value as a whole.
func (s *scope) composedElsewhere(searched []string) []miss {
	var out []miss
	for _, test := range s.tests {
		for _, file := range s.tree.ReachableFrom(test.Path) {
			if slices.Contains(searched, file) {
				continue
			}
			for _, c := range s.composers.of(s.tree, file) {
				if src, err := s.tree.Load(file); err == nil && s.mayRaise(src, c) {
					out = append(out, miss{src, c.open, computedArgument})
				}
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	if mayRun := s.runs(); mayRun != nil {
		out = filterPlaces(out, func(m miss) bool { return mayRun(m.in, m.token) })
	}
	return out
}

// mayRaise reports whether a call of a file may have composed the old value.
func (s *scope) mayRaise(src *source.File, c composer) bool {
	if c.kind != s.change.old.Kind && c.kind != locator.KindCSS {
		return false
	}
	return slices.ContainsFunc([]string{s.change.old.Value, s.change.old.Raw, s.change.whole}, func(value string) bool {
		return value != "" && mayMake(c.made, value, s.saysInReach(src))
	})
}
