package engine

import (
	"strings"
	"testing"
)

func TestAPageIsNamedByWhatItsAddressSaysOfIt(t *testing.T) {
	cases := []struct{ path, query, fragment, want string }{
		{"", "", "", "/"},
		{"/", "", "", "/"},
		{"/admin/", "", "", "/admin"},
		{"/patients/17/edit", "", "", "/patients/*/edit"},
		{"/reset/" + strings.Repeat("x", 65), "", "", "/reset/*"},
		{"/app/", "", "/orders/9?sort=name", "/app/orders/*"},
		{"/app/", "", "!/orders", "/app/orders"},
		{"/help", "", "top", "/help"},
		{strings.Repeat("/a", 40), "", "", strings.Repeat("/a", 32)},
		{"/index.php", "page=users", "", "/index.php?page=users"},
		{"/", "view=list&utm_source=mail&page=users&page=orders", "", "/?page=users&view=list"},
		{"/app", "tab=", "/r?step=two", "/app/r?step=two"},
		{"/order", "id=17&session_id=ab&clientId=x&order_id=9", "", "/order?id=*&order_id=*"},
		{"/", "token=abc&sort=name&lang=en&_=1&page=" + strings.Repeat("x", 65), "", "/?page=*"},
		{"/", "page=a?b", "", "/?page=*"},
		{"/", "%zz&&=&page", "", "/"},
	}
	for _, c := range cases {
		if got := PageName(PageAddress(c.path, c.query, c.fragment)); got != c.want {
			t.Errorf("%q, %q, %q: %q, want %q", c.path, c.query, c.fragment, got, c.want)
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
		{"/patients/*", "/patients/new", false},
		{"/patients/*", "/doctors/*", false},
		{"/*", "/", false},
		{"/?page=users", "/?page=orders", false},
		{"/?page=users", "/", false},
		{"/orders?id=17", "/orders?id=18", false},
		{"/orders/17", "/orders/18", false},
		{"/orders/17/edit", "/orders/18/edit", false},
		{"/orders/#", "/orders/new", false},
		{"/posts/**", "/posts", false},
		{"/posts/**", "/login", false},
		{"/**", "/login", false},
		{"/admin", "/admin", true},
		{"/", "/", true},
		{"/", "/index.html", true},
		{"/old/account.html", "/new/account.php", true},
		{"/en/account", "/de/account", true},
		{"/patients/*", "/clinic/patients/*", true},
		{"/patients/*", "/patients/17", true},
		{"/patients/#/edit", "/patients/17/edit", true},
		{"/*", "/*", true},
		{"/posts/**", "/posts/a-new-day", true},
		{"/v2/account", "/v3/account", true},
		{"/orders/17/edit", "/shop/orders/17/edit", true},
		{"/posts/**/edit", "/posts/a-new-day/edit", true},
		{"/?id=*", "/?id=18", true},
		{"/?id=*", "/", true},
		{"/?page=**", "/", true},
		{"/?page=**", "/?page=users", true},
		{"/index.php?page=users", "/?page=users", true},
		{"", "/login", true},
		{"/admin", "", true},
	}
	for _, c := range cases {
		if SamePage(c.a, c.b) != c.want || SamePage(c.b, c.a) != c.want {
			t.Errorf("%q and %q: want %v", c.a, c.b, c.want)
		}
	}
}

func TestAPageIsKnownByWhatStaysTheSameBetweenRuns(t *testing.T) {
	for name, c := range map[string]struct {
		seen   []string // addresses, oldest first
		want   string
		is     []string // addresses of the same page
		others []string
	}{
		"nothing is known yet of an id":   {[]string{"/orders/17"}, "/orders/*", []string{"/orders/18"}, []string{"/orders/new"}},
		"an id that is always the same":   {[]string{"/orders/17", "/orders/17"}, "/orders/17", []string{"/orders/17"}, []string{"/orders/18"}},
		"one that changes":                {[]string{"/orders/17", "/orders/18"}, "/orders/#", []string{"/orders/17", "/orders/19"}, []string{"/orders/new"}},
		"it changes for good":             {[]string{"/orders/17", "/orders/18", "/orders/18"}, "/orders/#", []string{"/orders/19"}, nil},
		"one that changed after all":      {[]string{"/orders/17", "/orders/17", "/orders/18"}, "/orders/#", []string{"/orders/19"}, nil},
		"a parameter that is the same":    {[]string{"/o?id=5", "/o?id=5"}, "/o?id=5", []string{"/o?id=5", "/shop/o?id=5"}, []string{"/o?id=6"}},
		"a parameter that changes":        {[]string{"/o?id=5", "/o?id=6"}, "/o?id=#", []string{"/o?id=7", "/o"}, nil},
		"a slug that changes":             {[]string{"/posts/red-fox", "/posts/blue-owl"}, "/posts/**", []string{"/posts/old-dog"}, []string{"/posts", "/login"}},
		"a page among several":            {[]string{"/cart", "/home"}, "/**", []string{"/home"}, []string{"/login"}},
		"a parameter that comes and goes": {[]string{"/?view=list", "/"}, "/?view=**", []string{"/", "/?view=grid"}, nil},
		"another folder":                  {[]string{"/a/b/c", "/b/c"}, "/b/c", []string{"/a/b/c"}, []string{"/a/b"}},
	} {
		f := Fingerprint{Page: PageName(c.seen[0]), PageAddress: c.seen[0]}
		for _, now := range c.seen[1:] {
			f.Page, f.PageAddress = RenamePage(f.Page, f.PageAddress, now), now
		}
		if f.Page != c.want {
			t.Errorf("%s: %q, want %q", name, f.Page, c.want)
		}
		for _, page := range append(c.is, c.seen[len(c.seen)-1]) {
			if !f.OnPage(page) {
				t.Errorf("%s: %q is another page", name, page)
			}
		}
		for _, page := range c.others {
			if f.OnPage(page) {
				t.Errorf("%s: %q is the same page", name, page)
			}
		}
	}
}

func TestAPageIsForgottenByItsNameOrAddress(t *testing.T) {
	f := Fingerprint{Page: "/orders/17?page=users", PageAddress: "/orders/17?page=users"}
	for page, want := range map[string]bool{"/orders/17": true, "/orders/17?page=users": true, "/orders/18": false, "/orders/17?page=teams": false, "": false, "/": false} {
		if f.IsPage(page) != want {
			t.Errorf("%q: want %v", page, want)
		}
	}
	if old := (Fingerprint{Page: "/orders/*"}); !old.IsPage("/orders/17") || old.IsPage("/orders") {
		t.Error("a page that an older version named is not found")
	}
}
