package corpus

import (
	"hash/fnv"
	"slices"
	"strings"

	"github.com/breadcrumb/action/engine"
	"github.com/breadcrumb/action/engine/heal"
)

// everyReworded is how many queries one is asked again with other words.
const everyReworded = 3

// Rewordings makes more scenes to train on and calls f with each: queries whose
// answer says what the lost element said, with other words of the page in it. It
// is what is in the lost element's place, whether it is still the same is decided
// by its words.
func Rewordings(pairs []Pair, f func(*Scene) error) error {
	for i := range pairs {
		p := &pairs[i]
		oldPage := heal.NewPage(p.Old)
		for n, q := range p.Queries {
			if q.Answer == nil || q.Other != "" || (i+n)%everyReworded != 0 {
				continue
			}
			was := saying(p.Old[q.Old])
			if was == "" || len(was) > 60 || saying(p.New[*q.Answer]) != was {
				continue
			}
			s := &Scene{Pair: p, Query: q, N: n, Old: oldPage}
			page := reword(p.New, *q.Answer, was, otherWords(p, was, n))
			elements, index := without(page, q.Taken)
			s.New, s.index = heal.NewPage(elements), index
			if err := f(s); err != nil {
				return err
			}
		}
	}
	return nil
}

func saying(e heal.Element) string {
	for _, text := range []string{e.Name, e.Label, e.Text} {
		if text != "" {
			return text
		}
	}
	return ""
}

// otherWords returns a text with one of its words replaced by one of another
// element of the page, the same every time.
func otherWords(p *Pair, was string, n int) string {
	h := fnv.New32a()
	h.Write([]byte(p.ID + was))
	draw := int(h.Sum32()>>1) + n
	words := strings.Fields(was)
	for k := range p.New {
		for _, w := range strings.Fields(p.New[(draw+k)%len(p.New)].OwnText) {
			if len(w) > 2 && !slices.Contains(words, w) {
				words[draw%len(words)] = w
				return strings.Join(words, " ")
			}
		}
	}
	return was + " more"
}

// reword returns elements with a text replaced in one of them, in what holds it,
// in what is inside it and in its label.
func reword(elements []heal.Element, i int, was, now string) []heal.Element {
	all := slices.Clone(elements)
	id, _ := elements[i].Attributes.Get("id")
	inside := map[int]bool{i: true}
	around := map[int]bool{}
	for up := elements[i].Parent; up >= 0; up = elements[up].Parent {
		around[up] = true
	}
	for j := range all {
		e := &all[j]
		target, _ := e.Attributes.Get("for")
		if inside[e.Parent] {
			inside[j] = true
		}
		if !inside[j] && !around[j] && (id == "" || e.Tag != "label" || target != id) {
			continue
		}
		for _, text := range []*string{&e.Text, &e.OwnText, &e.Name, &e.Label} {
			*text = strings.Replace(*text, was, now, 1)
		}
		e.Attributes = slices.Clone(e.Attributes)
		for k, a := range e.Attributes {
			switch a.Name {
			case "aria-label", "title", "placeholder", "alt", "value":
				e.Attributes[k] = engine.Attribute{Name: a.Name, Value: strings.Replace(a.Value, was, now, 1)}
			}
		}
	}
	return all
}
