package crumb

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// surroundings is what the process tells about itself.
type surroundings struct {
	env  func(name string) string
	now  func() time.Time
	root string // of the repository or module the tests run in
}

// look at the process once; tests run in the folder of their package.
func newSurroundings() (surroundings, error) {
	folder, err := os.Getwd()
	if err != nil {
		return surroundings{}, err
	}
	return surroundings{env: os.Getenv, now: time.Now, root: rootOf(folder)}, nil
}

// rootOf returns the nearest folder above that is a repository, or else a
// module, or else the folder itself.
func rootOf(folder string) string {
	for _, mark := range []string{".git", "go.mod"} {
		for up := folder; ; {
			if _, err := os.Stat(filepath.Join(up, mark)); err == nil {
				return up
			}
			above := filepath.Dir(up)
			if above == up {
				break
			}
			up = above
		}
	}
	return folder
}

// testFunction returns the name of the outermost test function on the stack,
// without its package, "" for none.
func (surroundings) testFunction() string {
	pcs := make([]uintptr, 256)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	name := ""
	for {
		f, more := frames.Next()
		function := f.Function[strings.LastIndexByte(f.Function, '/')+1:]
		_, function, _ = strings.Cut(function, ".")
		if strings.HasSuffix(f.File, "_test.go") && strings.HasPrefix(function, "Test") {
			name = function
		}
		if !more {
			return name
		}
	}
}
