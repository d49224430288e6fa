package ci

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/breadcrumb/action/engine"
)

// checkoutOfManyLanguages holds a test in each.
var checkoutOfManyLanguages = fstest.MapFS{
	"go.mod":                        {Data: []byte("module example.com/shop\n\ngo 1.26\n")},
	"cart/cart_test.go":             {Data: []byte("package cart\n\nfunc TestAdd(t *testing.T) {}\nfunc TestSuite(t *testing.T) {}\n")},
	"cart/suite_test.go":            {Data: []byte("package cart\n\nfunc (s *Suite) TestSum() {}\n")},
	"tools/go.mod":                  {Data: []byte("module example.com/tools\n")},
	"tools/cart/cart_test.go":       {Data: []byte("package cart\n\nfunc TestAdd(t *testing.T) {}\n")},
	"src/test/java/a/CartTest.java": {Data: []byte("package a;\nclass CartTest { @Test void adds() {} }\n")},
	"src/test/java/b/CartTest.java": {Data: []byte("package b;\nclass CartTest { @Test void sums() {} }\n")},
	"src/test/kotlin/All.kt":        {Data: []byte("class LoginTest {\n  @Test fun `signs in`() {}\n}\n")},
	"Shop.Tests/Checkout.cs":        {Data: []byte("namespace Shop.Tests;\npublic class PayTests { [Fact] public void Pays() {} }\n")},
	"Shop/Cart.java":                {Data: []byte("class Cart {}\n")},
	"tests/CartTest.php":            {Data: []byte("<?php\nnamespace Tests;\nfinal class CartTest extends TestCase { function testAdds() {} }\n")},
	"test/cart_test.rb":             {Data: []byte("class BasketTest < Minitest::Test\n  def test_adds; end\nend\n")},
	"e2e/tests/test_cart.py":        {Data: []byte("class TestCart:\n    def test_adds(self): ...\n\ndef test_sums(): ...\n")},
	"tests/Cart.Tests.ps1":          {},
	"e2e/login.spec.ts":             {Data: []byte("test('signs in', async () => {});\n")},
}

func TestTheFileOfATestIsFoundByItsName(t *testing.T) {
	for _, c := range []struct {
		name  string
		test  engine.TestResult
		files []string
		known bool
	}{
		{"Go package", engine.TestResult{ID: "example.com/shop/cart › TestAdd/one", Name: "TestAdd/one", Class: "example.com/shop/cart"}, []string{"cart/cart_test.go"}, true},
		{"step of a Go suite", engine.TestResult{ID: "example.com/shop/cart › TestSuite/TestSum", Name: "TestSuite/TestSum"}, []string{"cart/cart_test.go", "cart/suite_test.go"}, true},
		{"Go package of no module here", engine.TestResult{ID: "other/cart › TestAdd", Name: "TestAdd"}, []string{"cart/cart_test.go", "tools/cart/cart_test.go"}, true},
		{"Go helper that the log names", engine.TestResult{ID: "example.com/shop/cart › TestAdd", Name: "TestAdd", File: "helper_test.go"}, []string{"cart/cart_test.go", "helper_test.go"}, true},
		{"Java class", engine.TestResult{ID: "a.CartTest › adds", Name: "adds", Class: "a.CartTest"}, []string{"src/test/java/a/CartTest.java"}, true},
		{"nested Java class with a parameter", engine.TestResult{ID: "b.CartTest$Sums › sums(int)[1]", Name: "sums(int)[1]", Class: "b.CartTest$Sums"}, []string{"src/test/java/b/CartTest.java"}, true},
		{"Java method of a base class elsewhere", engine.TestResult{ID: "a.CartTest › pays", Name: "pays", Class: "a.CartTest"}, nil, false},
		{"Kotlin class in a file of another name", engine.TestResult{ID: "LoginTest › signs in()", Name: "signs in()", Class: "LoginTest"}, []string{"src/test/kotlin/All.kt"}, true},
		{"C# class in a file of another name", engine.TestResult{ID: "Shop.Tests.PayTests › Pays", Name: "Pays", Class: "Shop.Tests.PayTests"}, []string{"Shop.Tests/Checkout.cs"}, true},
		{"C# class, failed in a helper", engine.TestResult{ID: "Shop.Tests.PayTests › Pays", Name: "Pays", Class: "Shop.Tests.PayTests", File: "Shop.Tests/Help.cs"},
			[]string{"Shop.Tests/Checkout.cs", "Shop.Tests/Help.cs"}, true},
		{"PHP class with a data set", engine.TestResult{ID: `Tests\CartTest › testAdds with data set "two"`, Name: `testAdds with data set "two"`, Class: `Tests\CartTest`}, []string{"tests/CartTest.php"}, true},
		{"Ruby class", engine.TestResult{ID: "BasketTest › test_adds", Name: "test_adds", Class: "BasketTest"}, []string{"test/cart_test.rb"}, true},
		{"Python class of a module", engine.TestResult{ID: "tests.test_cart.TestCart › test_adds", Name: "test_adds", Class: "tests.test_cart.TestCart"}, []string{"e2e/tests/test_cart.py"}, true},
		{"Python module", engine.TestResult{ID: "tests.test_cart › test_sums[2]", Name: "test_sums[2]", Class: "tests.test_cart"}, []string{"e2e/tests/test_cart.py"}, true},
		{"pytest", engine.TestResult{ID: "tests/test_cart.py::test_sums", Name: "test_sums", Class: "tests.test_cart", File: "tests/test_cart.py"}, []string{"e2e/tests/test_cart.py", "tests/test_cart.py"}, true},
		{"Playwright", engine.TestResult{ID: "login.spec.ts › signs in [chromium]", Name: "signs in", File: "e2e/login.spec.ts"}, []string{"e2e/login.spec.ts", "login.spec.ts"}, true},
		{"Pester", engine.TestResult{ID: "tests/Cart.Tests.ps1 › Cart.adds", Name: "Cart.adds", File: "tests/Cart.Tests.ps1"}, []string{"tests/Cart.Tests.ps1"}, true},
		{"a script that was built", engine.TestResult{ID: "dist/login.spec.js › signs in", Name: "signs in", File: "dist/login.spec.js"}, []string{"dist/login.spec.js"}, false},
		{"a feature that has the name of a class", engine.TestResult{ID: "Cart › counts items", Name: "counts items", Class: "Cart"}, nil, false},
		{"Jest", engine.TestResult{ID: "cart › cart counts items", Name: "cart counts items", Class: "cart counts items"}, nil, false},
		{"no name", engine.TestResult{ID: "x"}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			where := testFiles{tree: &sourceTree{source: checkoutOfManyLanguages}}
			files, known := where.filesOf(c.test)
			if diff := cmp.Diff(c.files, files, cmpopts.EquateEmpty()); diff != "" || known != c.known {
				t.Errorf("known %v, want %v; files (-want +got):\n%s", known, c.known, diff)
			}
		})
	}
}
