package run

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A run that lost nothing says what it knows and what to do next; in a job the next step
// does the latter.
func TestAGreenRunSaysWhatToDoNext(t *testing.T) {
	t.Parallel()
	shop := httptest.NewServer(http.FileServer(http.Dir("../../examples/shop/app/before")))
	defer shop.Close()
	s := newSuite(t, "1.60.0", "../../examples/shop")
	for ci, want := range map[string]bool{"": true, "true": false} {
		ran := s.run(t, []string{"SHOP_URL=" + shop.URL, "CI=" + ci, "GITHUB_ACTIONS="}, "--timeout", "60000", "login")
		if ran.code != 0 {
			t.Fatalf("exit code %d\n%s", ran.code, ran.output)
		}
		known := strings.Contains(ran.output, "elements are known in .breadcrumb.db (")
		said := strings.Contains(ran.output, "new), used to find lost locators; 'breadcrumb ci --junit REPORT' judges this run")
		if !known || said != want {
			t.Errorf("with CI=%s said %t, want %t:\n%s", ci, said, want, ran.output)
		}
	}
}
