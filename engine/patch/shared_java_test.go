package patch

func javaGrid() sharedGrid {
	const three = `package shop;
{load}
class CartTest EXTENDS {
  @Test
  void buys() { {make} {use} }
  @Test @DisplayName("pays { (")
  void pays() throws Exception { {make} {use} }
  @Test
  void looks() { {make} {apart} }
}
`
	return sharedGrid{
		pageFile: "src/test/java/shop/Cart.java", testFile: "src/test/java/shop/CartTest.java", kept: 654,
		tests: [3]string{"buys", "pays", "looks"},
		class: `package shop;
public class Cart extends Base<Cart, Map<String, Integer>> implements Other {
  private final Page page;
  public Cart(Page page) { this.page = page; }
{member}
  public void other() { page.locator("#other").click(); }
}
`,
		make: "Cart cart = new Cart(page);", apart: "cart.other();",
		decorations: []string{
			"  ", "  @Step ", "  @Step(\"run\")\n  ", "  @SuppressWarnings(\"x\")\n  ", "  @SuppressWarnings({\"x\", \"y\"}) ", "  @io.qameta.allure.Step(value = \"run {0} (\")\n  ",
			"  @Step(\"run\") /* void stop() { */\n  @Stop(a = @Inner({1, 2}), b = Stop.class)\n  ", "  // void stop() {\n  @Step(\"a\" +\n    \"b\")\n\n  ", "  /** void stop() { */\n  ",
		},
		neighbours: []string{
			"", "  private int a = 1;\n", "  private final Map<String, int[]> a = new HashMap<>() {{ put(\"a\", null); }};\n", "  void stop() {}\n", "  static { stop(); }\n",
			"  int[] a = {1, 2};\n", "  enum Kind { A, B(\"b\") { void stop() {} }; }\n", "  abstract void stop();\n", "  int a, b = 2;\n", "  interface Inner { void stop(); }\n",
		},
		members: javaMembers(), modules: javaModules(),
		ways: []way{
			{name: "direct", files: map[string]string{"src/test/java/shop/CartTest.java": fillIn(three, "EXTENDS", "extends BaseTest")}},
			{name: "helper", files: map[string]string{
				"src/test/java/shop/CartTest.java": fillIn(three, "EXTENDS", "", "{make} {use}", "Shop.buy(page);"),
				"src/test/java/shop/Shop.java":     "package shop;\n{load}\nclass Shop {\n  static int limit = 1;\n  @Step(\"x\") static <T extends Map<String, int[]>> Map<String, T> buy(Page page) throws Exception, Error { {make} {use} return null; }\n}\n",
			}},
			{name: "field", classOnly: true, files: map[string]string{
				"src/test/java/shop/CartTest.java": fillIn(three, "EXTENDS", "extends BaseTest", "{make}", ""),
				"src/test/java/shop/BaseTest.java": "package shop;\nabstract class BaseTest {\n  protected Page page;\n  protected final Cart cart = new Cart(page);\n}\n",
			}},
			{name: "subclass", classOnly: true, files: map[string]string{
				"src/test/java/shop/CartTest.java": fillIn(three, "EXTENDS", "", "{make}", "var cart = new Big(page);"),
				"src/test/java/shop/Big.java":      "package shop;\nclass Big<T extends Comparable<T>> extends Cart {\n  Big(Page page) { super(page); }\n}\n",
			}},
			{name: "part", classOnly: true, files: map[string]string{
				"src/test/java/shop/CartTest.java": fillIn(three, "EXTENDS", "", "{make}", "Shop shop = new Shop(page);", "{use}", "shop.buy();", "{apart}", "shop.look();"),
				"src/test/java/shop/Shop.java":     "package shop;\nrecord Shop(Page page, Cart cart) {\n  Shop(Page page) { this(page, new Cart(page)); }\n  @Step(\"x\")\n  Map<String, Integer> buy() { {use} return null; }\n  void look() { {apart} }\n}\n",
			}},
			{name: "inherited tests", classOnly: true, files: map[string]string{
				"src/test/java/shop/CartTest.java":  "package shop;\nclass CartTest extends CartTests {\n}\n",
				"src/test/java/shop/CartTests.java": fillIn(three, "EXTENDS", "", "class CartTest", "abstract class CartTests"),
			}},
		},
	}
}

func javaMembers() []member {
	const click = `page.locator("#go").click();`
	call := func(name, source string) member { return member{name: name, source: source, use: "cart.go();"} }
	return []member{
		call("method", "public void go() { "+click+" }"),
		call("modifiers", "@Override protected final synchronized\n  void go() { "+click+" }"),
		call("generic", "public <T extends Map<String, int[]> & Other> void go() { "+click+" }"),
		call("package private generic", "<T> T go() { "+click+" return null; }"),
		call("returns a map", "public Map<String, List<? extends Cart>> go() { "+click+" return null; }"),
		call("returns itself", "public Cart go() { "+click+" return this; }"),
		call("returns an array", "int[] go() { "+click+" return null; }"),
		call("annotated type", "public @Nullable(\"x\") String go() { "+click+" return null; }"),
		call("throws", "void go() throws IOException, Error { "+click+" }"),
		call("parameters", "void go(@Named(\"x\") final Map<String, Integer> a, int... b) { "+click+" }"),
		call("lines", "void\n  go\n  (\n  )\n  throws\n    Error\n  {\n    "+click+"\n  }"),
		call("overloads", "void go() { go(1); }\n  void go(int x) { go(\"\", x); }\n  void go(String a, int x) { "+click+" }"),
		call("private", "void go() { run(); }\n  private Map<String, Integer> run() { "+click+" return null; }"),
		call("lambda field", "final Runnable run = () -> { "+click+" };\n  void go() { run.run(); }"),
		call("lambda field of a function", "final Function<String, Map<String, Integer>> run = x -> { "+click+" return null; };\n  void go() { run.apply(\"\"); }"),
		call("anonymous class", "void go() { new Thread(new Runnable() { @Override public void run() { "+click+" } }).start(); }"),
		call("field of an anonymous class", "final Consumer<Page> run = new Consumer<>() {\n    @Override public void accept(Page page) { "+click+" } };\n  void go() { List.of(page).forEach(run); }"),
		call("callback", "void go() { page.onDialog(d -> { "+click+" }); }"),
		call("method reference", "void go() { List.of(page).forEach(this::run); }\n  void run(Page page) { "+click+" }"),
		call("local class", "void go() { class Run { Run() { "+click+" } } new Run(); }"),
		call("blocks", "void go() { for (int i = 0; i < 2; i++) try { if (i > 1) "+click+" } catch (A | B e) { throw e; } finally { stop(); } }"),
		call("switch", "void go() { int x = switch (1) { case 1 -> { "+click+" yield 2; } default -> 3; }; }"),
		call("try with resources", "void go() { try (var a = page.locator(\"#go\")) { a.click(); } }"),
		call("inner class", "void go() { new Inner().run(); }\n  class Inner<T> { void run() { "+click+" } }"),
		call("static inner class", "final Parts parts = new Parts();\n  void go() { parts.run(); }\n  static class Parts extends Other { public void run() { "+click+" } }"),
		call("inner enum", "void go() { Step.RUN.run(page); }\n  enum Step { STOP { void run(Page page) {} }, RUN { @Override void run(Page page) { "+click+" } }; abstract void run(Page page); }"),
		call("constant", "private static final String SELECTOR = \"#go\";\n  void go() { page.locator(SELECTOR).click(); }"),
		call("enum of selectors", "enum Selectors { STOP(\"#stop\"), GO(\"#other\"); }\n  void go() { "+click+" }"),
		call("array", "private final Locator[] all = { page.locator(\"#go\") };\n  void go() { all[0].click(); }"),
		{name: "static", source: "public static Cart go(Page page) { " + click + " return null; }", use: "Cart.go(page);"},
		{name: "field", source: "public final Locator go = page.locator(\"#go\");", use: "cart.go.click();"},
		{name: "field in the constructor", source: "public final Locator go;\n  Cart() { this.go = page.locator(\"#go\"); }", use: "cart.go.click();"},
		{name: "acts when made", source: "{ " + click + " }", use: "cart.stop();"},
		{name: "eager field", source: "final String text = page.locator(\"#go\").innerText();", use: "cart.stop();"},
		{name: "static block", source: "static { " + click + " }", use: "cart.stop();"},
		{name: "closed", source: "@Override public void close() { " + click + " }", use: "try (cart) { }"},
		{name: "constructor", source: "public Cart(Page page, int x) { this(page); " + click + " }", use: "new Cart(page, 1);"},
		{name: "handed on", source: "void go() { " + click + " }", use: "run(cart::go);"},
		{name: "by reflection", source: "public void go() { " + click + " }", use: "Cart.class.getMethod(\"go\").invoke(cart);"},
		{name: "by reflection of a variable", source: "public void go() { " + click + " }", use: "String name = \"g\" + \"o\"; Cart.class.getMethod(name).invoke(cart);"},
	}
}

func javaModules() []member {
	const click = `page.locator("#go").click();`
	cart := func(name, source string) member {
		return member{name: name, source: "package shop;\n" + source, use: "cart.go();", make: "Cart cart = new Cart(page);"}
	}
	return []member{
		cart("record", "public record Cart(Page page, Map<String, Integer> x) implements Other<Cart> {\n  @Step(\"x\") public void go() { "+click+" }\n  void other() {}\n}"),
		cart("record that acts when made", "public record Cart(Page page) {\n  public Cart { "+click+" }\n  public void go() {}\n  void other() {}\n}"),
		cart("interface", "interface Going { Page page();\n  @Step(\"x\") default Map<String, Integer> go() { "+fillIn(click, "page.", "page().")+" return null; }\n}\nclass Cart implements Going, Other { void other() {} }"),
		cart("abstract", "abstract class Base { abstract Map<String, Integer> run();\n  void go() { run(); } }\nclass Cart extends Base {\n  int a = 1;\n  @Override Map<String, Integer> run() { "+click+" return null; }\n  void other() {}\n}"),
		cart("base class that acts when made", "abstract class Base<T extends Map<String, Integer>> {\n  protected Base(T x) { "+click+" } }\nclass Cart extends Base<Map<String, Integer>> {\n  void go() {}\n  void other() {}\n}"),
		cart("annotated class", "@SuppressWarnings({\"a\", \"b\"})\n@Page(url = \"{x}\")\npublic final class Cart<T extends Map<String, Integer>> extends Base<T> {\n  void go() { "+click+" }\n  void other() {}\n}"),
	}
}
