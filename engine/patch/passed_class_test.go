package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// passedBeside is a suite of Java or C# with a page object Cart, whose "#price" a test
// `reads` has lost, and another test `other` that passed.
type passedBeside struct {
	name  string
	file  string // of the tests, below the package shop
	code  string // of other classes, each on a line
	cart  string // more members of Cart
	test  string // the body of the other test
	edits bool
}

func (c passedBeside) checkOther(t *testing.T) {
	t.Helper()
	source := fstest.MapFS{}
	if c.file == "CartTest.java" {
		source["src/test/java/shop/Cart.java"] = &fstest.MapFile{Data: []byte("package shop;\nclass Cart extends Base {\n  private final Locator price;\n" +
			"  Cart(Page page) { this.price = page.locator(\"#price\"); }\n  String getPrice() { return price.innerText(); }\n" +
			"  Item first() { return new Item(page); }\n" + c.cart + "\n}\n")}
		for class := range strings.Lines("class Base { Page page; }\n" + c.code) {
			name := strings.Fields(class)[1]
			source["src/test/java/shop/"+name+".java"] = &fstest.MapFile{Data: []byte("package shop;\n" + class)}
		}
		source["src/test/java/shop/CartTest.java"] = &fstest.MapFile{Data: []byte("package shop;\nclass CartTest {\n  Cart cart = new Cart(page);\n" +
			"  @Test void reads() { cart.getPrice(); }\n  @Test void other() { " + c.test + " }\n}\n")}
	} else {
		source["Shop/Cart.cs"] = &fstest.MapFile{Data: []byte("namespace Shop;\npublic class Cart : Base {\n  public ILocator Price => Page.Locator(\"#price\");\n" +
			"  public Task<string> GetPrice() { return Price.InnerTextAsync(); }\n  public Item First() { return new Item(); }\n" + c.cart + "\n}\n")}
		source["Shop/Code.cs"] = &fstest.MapFile{Data: []byte("namespace Shop;\npublic class Base { public IPage Page; }\n" + c.code)}
		source["Shop/CartTest.cs"] = &fstest.MapFile{Data: []byte("namespace Shop;\npublic class CartTest {\n  Cart cart = new Cart();\n" +
			"  [Test] public void reads() { cart.GetPrice(); }\n  [Test] public void other() { " + c.test + " }\n}\n")}
	}
	h := engine.HealEvent{TestID: "shop.CartTest › reads", Locator: "#price", HealedLocator: "#cost", Confidence: 0.95,
		Outcome: engine.OutcomeHealed, Matches: []engine.Match{{Locator: "#cost", Count: 1}}}
	class := "shop.CartTest"
	if c.file == "CartTest.cs" {
		class = "Shop.CartTest"
		h.TestID = "Shop.CartTest › reads"
	}
	own, other := engine.TestResult{Class: class, Name: "reads"}, engine.TestResult{Class: class, Name: "other"}
	p := New(source)
	p.SetPassed([]PassedTest{{Test: own}})
	if got := p.Propose(h, &own); got.Edit == nil {
		t.Fatalf("%s: no edit even without the other test: %s", c.name, got.Reason)
	}
	p.SetPassed([]PassedTest{{Test: own}, {Test: other}})
	if got := p.Propose(h, &own); (got.Edit != nil) != c.edits {
		t.Errorf("%s: edit %v, reason %q", c.name, got.Edit, got.Reason)
	}
}

// Page objects that follow one another in a chain of calls have methods of one name. The
// declared class of a variable says whose is called, and not the calls on the way.
func TestTheDeclaredClassSaysWhoseMethodAnotherTestCalled(t *testing.T) {
	const javaItem = "class Item extends Base { Item(Page page) { } String getPrice() { return page.locator(\"#item\").innerText(); } }\n"
	const csItem = "public class Item : Base { public Task<string> GetPrice() { return Page.Locator(\"#item\").InnerTextAsync(); } }\n"
	for _, c := range []passedBeside{
		{"another class, found by way of the page object", "CartTest.java", javaItem, "", "Item item = new Cart(page).first(); item.getPrice();", true},
		{"a final variable", "CartTest.java", javaItem, "", "final Item item = new Cart(page).first(); item.getPrice();", true},
		{"another class in C#", "CartTest.cs", csItem, "", "Item item = new Cart().First(); item.GetPrice();", true},
		{"the page object itself", "CartTest.java", javaItem, "", "Cart again = new Item(page).cart(); again.getPrice();", false},
		{"a class that it inherits from", "CartTest.java", javaItem, "", "Base page = new Cart(page); page.getPrice();", false},
		{"a variable that is called base", "CartTest.java", javaItem, "", "Base base = new Cart(page); base.getPrice();", false},
		{"an interface that it fulfils", "CartTest.java", javaItem + "interface Priced { String getPrice(); }\nclass Sale extends Cart implements Priced { }\n", "",
			"Priced sale = new Sale(page); sale.getPrice();", false},
		{"a class below it", "CartTest.java", javaItem + "class Sale extends Cart { Sale(Page page) { super(page); } }\n", "", "Sale sale = new Sale(page); sale.getPrice();", false},
		{"no declared class", "CartTest.java", javaItem, "", "var any = new Item(page).open(new Cart(page)); any.getPrice();", false},
		{"a list of another class", "CartTest.java", javaItem, "", "List<Base> all = List.of(new Cart(page)); all.get(0).getPrice();", false},
		{"its declared class in C#", "CartTest.cs", csItem, "", "Cart again = new Item().Open(); again.GetPrice();", false},
		{"no declared class in C#", "CartTest.cs", csItem, "", "var any = new Item().Open(new Cart()); any.GetPrice();", false},
	} {
		c.checkOther(t)
	}
}

// A parameter or variable has the name of a page object's member and is none of its uses.
func TestAVariableOfAMembersNameIsNoUseOfIt(t *testing.T) {
	for _, c := range []passedBeside{
		{"a parameter", "CartTest.java", "class List extends Base { void search(String price) { page.fill(\"#q\", price); } }\nclass Item { Item(Page page) { } }\n", "",
			"new List().search(\"9\");", true},
		{"a parameter with an annotation and others", "CartTest.java", "class List { void search(int n, @Nullable final String price) throws Error { log(price + n); } }\n", "",
			"new List().search(1, \"9\");", true},
		{"a variable", "CartTest.java", "class List { void search() { String price = \"9\"; if (true) { log(price); } } }\n", "", "new List().search();", true},
		{"a parameter of C#", "CartTest.cs", "public class List { public void Search(string Price) { Log(Price); } }\n", "", "new List().Search(\"9\");", true},
		{"a record of C#", "CartTest.cs", "public record Bill(string Price, int Count);\npublic static class Bills { public static Bill Load() { return Read<Bill>(); } }\n", "",
			"var bill = Bills.Load(); Log(bill.Price);", true},
		{"another class reads the member by a parameter", "CartTest.cs", "public class List { public void Search(Cart cart) { cart.Price.ClickAsync(); } }\n", "",
			"new List().Search(null);", false},
		{"an inherited member", "CartTest.cs", "public class Sale : Cart { public void Look() { Price.ClickAsync(); } }\n", "", "new Sale().Look();", false},
		{"a variable of a block before", "CartTest.cs", "public class Sale : Cart { public void Look() { if (true) { string Price = \"9\"; } Price.ClickAsync(); } }\n", "",
			"new Sale().Look();", false},
		{"what a statement returns", "CartTest.cs", "public class Sale : Cart { public ILocator Look() { return Price; } }\n", "", "new Sale().Look();", false},
		{"a parameter of another method", "CartTest.cs", "public class Sale : Cart { public void Set(string Price) { Log(Price); }\n public void Look() { Price.ClickAsync(); } }\n", "",
			"new Sale().Look();", false},
		{"a record made of it", "CartTest.cs", "public record Sale(ILocator Price) : Cart { public void Look() { Price.ClickAsync(); } }\n", "", "new Sale(null).Look();", false},
		{"a call that hands it on", "CartTest.cs", "public class Sale : Cart { public void Look() { Look(1, Price); } }\n", "", "new Sale().Look();", false},
		{"a call with an initialiser that hands it on", "CartTest.cs", "public class Sale : Cart { public void Look() { use(new Row(in Price) { Count = 1 }); } }\n", "", "new Sale().Look();", false},
		{"a method that a reference names", "CartTest.java", "class List { void go(String getPrice, Cart cart) { run(cart::getPrice); } }\n", "", "new List().go(\"\", null);", false},
	} {
		c.checkOther(t)
	}
}
