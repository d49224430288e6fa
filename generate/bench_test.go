package generate

import "testing"

// BenchmarkPage reads a page of all kinds of controls and writes its tests in
// one language.
func BenchmarkPage(b *testing.B) {
	for b.Loop() {
		site, err := Crawl(b.Context(), "https://shop.example/kitchen.html", Options{Browser: folder("testdata")})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Files(site, Go); err != nil {
			b.Fatal(err)
		}
	}
}
