package patch_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/breadcrumb/action/engine/patch"
)

func TestPlaceNamesTheTestAroundALine(t *testing.T) {
	for _, c := range []struct {
		name, file, code string // "HERE" stands on the line
		want             patch.Place
	}{
		{"a Go test", "a_test.go", "package a\n\nfunc TestPays(t *testing.T) {\n\tt.Run(\"card\", func(t *testing.T) {\n\t\tHERE()\n\t})\n}\n",
			patch.Place{Function: "TestPays", Test: true}},
		{"a Go helper", "a_test.go", "package a\n\nfunc TestPays(t *testing.T) {}\n\nfunc pay() {\n\tHERE()\n}\n", patch.Place{Function: "pay"}},
		{"a method of Go that is named like a test", "a_test.go", "package a\n\nfunc (p page) TestID() {\n\tHERE()\n}\n", patch.Place{Function: "TestID"}},
		{"JUnit", "PayTest.java", "package shop.pay;\n\nclass PayTest extends Base {\n  @Test\n  @DisplayName(\"pays\")\n  void pays() {\n    run(() -> {\n      HERE();\n    });\n  }\n}\n",
			patch.Place{Package: "shop.pay", Class: "PayTest", Function: "pays", Test: true}},
		{"a nested class", "PayTest.java", "package shop;\nclass PayTest {\n  @Nested class Card {\n    @ParameterizedTest void pays(String by) {\n      HERE();\n    }\n  }\n}\n",
			patch.Place{Package: "shop", Class: "PayTest$Card", Function: "pays", Test: true}},
		{"a page object of Java", "PayPage.java", "package shop;\n\npublic class PayPage {\n  void pay() {\n    HERE();\n  }\n}\n",
			patch.Place{Package: "shop", Class: "PayPage", Function: "pay"}},
		{"a set-up method", "PayTest.java", "class PayTest {\n  @BeforeEach\n  void open() {\n    HERE();\n  }\n  @Test void pays() {}\n}\n", patch.Place{Class: "PayTest", Function: "open"}},
		{"NUnit", "PayTests.cs", "using NUnit.Framework;\nnamespace Shop\n{\n  [TestFixture]\n  public class PayTests : Base\n  {\n    [Test]\n    public async Task Pays()\n    {\n      await HERE();\n    }\n  }\n}\n",
			patch.Place{Package: "Shop", Class: "PayTests", Function: "Pays", Test: true}},
		{"xUnit with a namespace of the file", "PayTests.cs", "namespace Shop.Web;\npublic class PayTests\n{\n  [Theory]\n  [InlineData(1)]\n  public async Task Pays(int n) => await HERE(n);\n}\n",
			patch.Place{Package: "Shop.Web", Class: "PayTests", Function: "Pays", Test: true}},
		{"between methods", "PayTests.cs", "namespace Shop;\npublic class PayTests\n{\n  int HERE = 1;\n  [Fact] public void Pays() {}\n}\n", patch.Place{Package: "Shop", Class: "PayTests"}},
		{"another language", "pay.spec.ts", "HERE", patch.Place{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, _, _ := strings.Cut(c.code, "HERE")
			got, err := patch.PlaceAt(c.file, []byte(c.code), 1+strings.Count(before, "\n"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("place (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlaceIsUnknownInCodeThatCannotBeRead(t *testing.T) {
	if got, err := patch.PlaceAt("A.java", []byte("class A { void a() { \"open"), 1); err == nil {
		t.Errorf("got %+v without an error", got)
	}
}
