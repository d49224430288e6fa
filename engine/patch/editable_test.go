package patch

import (
	"testing"

	"github.com/breadcrumb/action/internal/promise"
)

func TestNoFileOfGitOrTheForgeIsEditedUnderAnyOfItsNames(t *testing.T) {
	refused := []string{
		".git/a.ts", ".github/workflows/a.py", "sub/.git/a.ts", ".GIT/a.ts", "node_modules/x/a.ts", "Node_Modules/x/a.ts",
		"GIT~1/a.ts", "git~2/a.ts", "GITHUB~1/a.ts", "NODE_M~1/a.ts", "e2e/GIT~1/a.ts", "a/LOGINS~1.TS",
		".git./a.ts", ".git /a.ts", ".git::$INDEX_ALLOCATION/a.ts", `a\.git\a.ts`, "node_modules./a.ts", "a.ts:hidden.ts",
		".g\u200cit/a.ts", ".gi\ufefft/a.ts", ".git\u200d/a.ts", "\u202e.git/a.ts",
		"/etc/a.ts", "../a.ts", "a/../../b.ts", "a//b.ts", "", "a", "a.json", "PACKAG~1.JSO", "package.json",
	}
	promise.Tried(t, "names", len(refused))
	for _, name := range refused {
		if Editable(name) {
			t.Errorf("%q may be edited", name)
		}
	}
	for _, name := range []string{
		"a.ts", "tests/login.spec.ts", "e2e/~user/a.ts", "tests/a~b.ts", "tests/login-page~1st.spec.ts", "app/[id]/a.test.tsx",
		"src/test/java/a/B.java", "tests/größe.py", "tests/日本.ts", "a b/c.cs", "tests/v1.2/a_test.go",
	} {
		if !Editable(name) {
			t.Errorf("%q may not be edited", name)
		}
	}
}
