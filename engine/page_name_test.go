package engine

import (
	"strings"
	"testing"
)

func TestAPageIsNamedByItsPathWithoutIds(t *testing.T) {
	cases := []struct{ path, fragment, want string }{
		{"", "", "/"},
		{"/", "", "/"},
		{"/admin/", "", "/admin"},
		{"/patients/17/edit", "", "/patients/*/edit"},
		{"/reset/" + strings.Repeat("x", 65), "", "/reset/*"},
		{"/app/", "/orders/9?sort=name", "/app/orders/*"},
		{"/app/", "!/orders", "/app/orders"},
		{"/help", "top", "/help"},
		{strings.Repeat("/a", 40), "", strings.Repeat("/a", 32)},
	}
	for _, c := range cases {
		if got := PageName(c.path, c.fragment); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.path, c.fragment, got, c.want)
		}
	}
}

func TestPagesAreToldApartByHowTheirNamesEnd(t *testing.T) {
	cases := []struct {
		a, b string
		want bool
	}{
		{"/admin", "/login", false},
		{"/admin/users", "/admin/login", false},
		{"/", "/login", false},
		{"/checkout/payment", "/checkout/address", false},
		{"/patients/*", "/patients", false},
		{"/patients/*", "/doctors/*", false},
		{"/*", "/", false},
		{"/admin", "/admin", true},
		{"/", "/", true},
		{"/", "/index.html", true},
		{"/old/account.html", "/new/account.php", true},
		{"/en/account", "/de/account", true},
		{"/patients/*", "/clinic/patients/*", true},
		{"/*", "/*", true},
		{"", "/login", true},
		{"/admin", "", true},
	}
	for _, c := range cases {
		if SamePage(c.a, c.b) != c.want || SamePage(c.b, c.a) != c.want {
			t.Errorf("%q and %q: want %v", c.a, c.b, c.want)
		}
	}
}
