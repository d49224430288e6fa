package source

import (
	"path"
	"strings"

	"github.com/breadcrumb/action/engine/locator"
	"github.com/breadcrumb/action/engine/patch/internal/scan"
)

// Dialect is how a file is read and how new code for it is printed.
type Dialect struct {
	Print locator.Language
	Scan  scan.Language
}

// dialects by file extension. JavaScript may contain JSX in all its files,
// TypeScript only in .tsx.
var dialects = map[string]Dialect{
	".ts":   {locator.TypeScript, scan.TypeScript},
	".mts":  {locator.TypeScript, scan.TypeScript},
	".cts":  {locator.TypeScript, scan.TypeScript},
	".tsx":  {locator.TypeScript, scan.TSX},
	".js":   {locator.JavaScript, scan.TSX},
	".jsx":  {locator.JavaScript, scan.TSX},
	".mjs":  {locator.JavaScript, scan.TSX},
	".cjs":  {locator.JavaScript, scan.TSX},
	".py":   {locator.Python, scan.Python},
	".java": {locator.Java, scan.Java},
	".cs":   {locator.CSharp, scan.CSharp},
	".go":   {locator.Go, scan.Go},
}

// DialectOf returns the dialect of a file by its extension.
func DialectOf(file string) (Dialect, bool) {
	d, ok := dialects[strings.ToLower(path.Ext(file))]
	return d, ok
}

// IsScript reports whether the language is JavaScript or TypeScript.
func (d Dialect) IsScript() bool { return d.Scan == scan.TypeScript || d.Scan == scan.TSX }
