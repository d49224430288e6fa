package archtest

import (
	"fmt"
	"slices"
	"strings"
)

// Package is what the rules need to know of one package: the fields of
// go list -json, whose imports are those of the program, not of its tests.
type Package struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
}

// Check returns one sentence for every import that breaks a rule, sorted.
func Check(packages []Package) []string {
	var broken []string
	byPath := map[string]Package{}
	for _, p := range packages {
		byPath[p.ImportPath] = p
	}
	for _, p := range packages {
		room, known := roomOf(p.ImportPath)
		if !known {
			broken = append(broken, fmt.Sprintf("%s is in no room of the table", p.ImportPath))
			continue
		}
		for _, path := range p.Imports {
			if why := refuse(room, path); why != "" {
				broken = append(broken, fmt.Sprintf("%s imports %s: %s", p.ImportPath, path, why))
			}
		}
		if isPure(room) {
			broken = append(broken, impurities(p, byPath)...)
		}
	}
	slices.Sort(broken)
	return slices.Compact(broken)
}

// refuse returns why a package of room may not import path, "" if it may.
func refuse(room, path string) string {
	if under(path, forge) && room != forgeRoom {
		return "only " + forgeRoom + " speaks to GitHub"
	}
	if path != Module && !strings.HasPrefix(path, Module+"/") {
		return ""
	}
	target, known := roomOf(path)
	switch {
	case !known:
		return "it is in no room of the table"
	case target == room, target == lazyRegexp, allows(rooms[room].imports, target):
		return ""
	}
	return fmt.Sprintf("room %q may import %s", room, allowed(rooms[room].imports))
}

func allowed(rule []string) string {
	if len(rule) == 0 {
		return "nothing of ours"
	}
	return "only " + strings.Join(rule, ", ")
}

func allows(rule []string, target string) bool {
	return slices.ContainsFunc(rule, func(r string) bool {
		return r == anyRoom && !isTool(target) || r == target || r == pureRooms && isPure(target)
	})
}

// impurities returns the impure imports of p and of every package of ours that
// it reaches.
func impurities(p Package, byPath map[string]Package) []string {
	var broken []string
	seen := map[string]bool{p.ImportPath: true}
	for queue := []Package{p}; len(queue) > 0; queue = queue[1:] {
		for _, path := range queue[0].Imports {
			if under(path, impure) {
				broken = append(broken, fmt.Sprintf("%s reaches %s through %s: engine is pure", p.ImportPath, path, queue[0].ImportPath))
			}
			if next, ours := byPath[path]; ours && !seen[path] {
				seen[path] = true
				queue = append(queue, next)
			}
		}
	}
	return broken
}

// roomOf returns the room of a package: the longest name of the table that is
// its path in the module or stands above it. main is only the module's root.
func roomOf(path string) (room string, known bool) {
	if path == Module {
		return "", true
	}
	for name := strings.TrimPrefix(path, Module+"/"); ; {
		if _, known := rooms[name]; known {
			return name, true
		}
		slash := strings.LastIndexByte(name, '/')
		if slash < 0 {
			return "", false
		}
		name = name[:slash]
	}
}

// isTool reports whether a room is no part of the product.
func isTool(room string) bool { return under(room, []string{"release", "tools"}) }

func isPure(room string) bool { return under(room, []string{"engine"}) }

// under reports whether path is one of roots or below one.
func under(path string, roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		return path == root || strings.HasPrefix(path, root+"/")
	})
}
