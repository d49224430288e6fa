package patch

func csharpGrid() sharedGrid {
	const three = `using Shop.Pages;
namespace Shop.Tests;
[TestFixture]
public class CartTests EXTENDS
{
    [Test]
    public async Task Buys() { {make} {use} }
    [Test, Description("Pays { (")]
    public async Task Pays() { {make} {use} }
    [Test]
    public async Task Looks() { {make} {apart} }
}
`
	return sharedGrid{
		pageFile: "Pages/Cart.cs", testFile: "Tests/CartTests.cs", kept: 783,
		tests: [3]string{"Buys", "Pays", "Looks"},
		class: `namespace Shop.Pages;
public partial class Cart : Base<Cart, Dictionary<string, int>>, IOther
{
    private readonly IPage page;
    public Cart(IPage page) : base(page, "x") { this.page = page; }
{member}
    public async Task Other() { await page.Locator("#other").ClickAsync(); }
}
`,
		make: "var cart = new Cart(Page);", apart: "await cart.Other();",
		decorations: []string{
			"    ", "    [Step] ", "    [Step(\"run\")]\n    ", "    [Step(\"run\"), Stop(typeof(Stop))]\n    ", "    [Step(Name = \"run {0} (\", Data = new[] { 1, 2 })] ",
			"    [Step(\"run\")] // void Stop() {\n    [Stop]\n\n    ", "    /// <summary>void Stop() {</summary>\n    [method: Step(nameof(Stop))]\n    ", "    #region run\n    ",
		},
		neighbours: []string{
			"", "    private int a = 1;\n", "    public int A { get; set; } = 1;\n", "    public int A { get => 1; }\n", "    void Stop() {}\n", "    int Stop() => 1;\n",
			"    static Cart() { Stop(); }\n", "    int[] a = { 1, 2 };\n", "    enum Kind { A, B = 2 }\n", "    public event Action A;\n", "    public int this[int i] { get { return 1; } }\n", "    record Inner(int A);\n",
		},
		members: csharpMembers(), modules: csharpModules(),
		ways: []way{
			{name: "direct", files: map[string]string{"Tests/CartTests.cs": fillIn(three, "EXTENDS", ": PageTest")}},
			{name: "helper", files: map[string]string{
				"Tests/CartTests.cs": fillIn(three, "EXTENDS", ": PageTest", "{make} {use}", "await Shop.Buy(Page);"),
				"Pages/Shop.cs":      "namespace Shop.Pages;\npublic static class Shop\n{\n    static int limit = 1;\n    [Step(\"x\")] public static async Task<(int A, Dictionary<string, T>)> Buy<T>(IPage Page) where T : class, new() { {make} {use} return default; }\n}\n",
			}},
			{name: "extension", classOnly: true, files: map[string]string{
				"Tests/CartTests.cs": fillIn(three, "EXTENDS", ": PageTest", "{use}", "await cart.Buy();"),
				"Pages/Shop.cs":      "namespace Shop.Pages;\npublic static class Shop\n{\n    public static async Task Buy(this Cart cart) { {use} }\n}\n",
			}},
			{name: "field", classOnly: true, files: map[string]string{
				"Tests/CartTests.cs": fillIn(three, "EXTENDS", ": BaseTest", "{make}", ""),
				"Tests/BaseTest.cs":  "using Shop.Pages;\nnamespace Shop.Tests;\npublic abstract class BaseTest : PageTest\n{\n    protected Cart cart => new(Page);\n    protected Cart Made => new Cart(Page);\n}\n",
			}},
			{name: "subclass", classOnly: true, files: map[string]string{
				"Tests/CartTests.cs": fillIn(three, "EXTENDS", ": PageTest", "{make}", "var cart = new Big(Page);"),
				"Pages/Big.cs":       "namespace Shop.Pages;\npublic sealed class Big<T>(IPage page) : Cart(page), IOther where T : class\n{\n}\n",
			}},
			{name: "part", classOnly: true, files: map[string]string{
				"Tests/CartTests.cs": fillIn(three, "EXTENDS", ": PageTest", "{make}", "var shop = new Shop(Page);", "{use}", "await shop.Buy();", "{apart}", "await shop.Look();"),
				"Pages/Shop.cs":      "namespace Shop.Pages;\npublic record Shop(IPage Page)\n{\n    private Cart cart { get; } = new Cart(Page);\n    [Step(\"x\")]\n    public async Task<Dictionary<string, int>> Buy() { {use} return null; }\n    public async Task Look() { {apart} }\n}\n",
			}},
		},
	}
}

func csharpMembers() []member {
	const click = `await page.Locator("#go").ClickAsync();`
	call := func(name, source string) member { return member{name: name, source: source, use: "await cart.Go();"} }
	read := func(name, source string) member {
		return member{name: name, source: source, use: "await cart.Go.ClickAsync();"}
	}
	return []member{
		call("method", "public async Task Go() { "+click+" }"),
		call("modifiers", "public override sealed async\n    Task Go() { "+click+" }"),
		call("expression", "public Task Go() => page.Locator(\"#go\").ClickAsync();"),
		call("generic", "public async Task<T> Go<T, U>() where T : class, new() where U : IEnumerable<T> { "+click+" return null; }"),
		call("generic expression", "public Task<Dictionary<string, T>> Go<T>() where T : struct => page.Locator(\"#go\").EvaluateAsync<T>(\"x\");"),
		call("returns a tuple", "public async Task<(int A, string B)> Go() { "+click+" return (1, \"\"); }"),
		call("returns a plain tuple", "public (int A, Task B) Go() { return (1, page.Locator(\"#go\").ClickAsync()); }"),
		call("nullable", "public async Task<int?>? Go() { "+click+" return null; }"),
		call("array", "public Task[] Go() { return new[] { page.Locator(\"#go\").ClickAsync() }; }"),
		call("lines", "public\n    async Task\n    Go\n    (\n        int a = 1\n    )\n    {\n        "+click+"\n    }"),
		call("parameters", "public async Task Go([Named(\"x\")] int a = 1, Func<int, Task> b = null, params string[] c) { "+click+" }"),
		call("overloads", "public Task Go() => Go(1);\n    public Task Go(int a) { return Go(\"\", a); }\n    public async Task Go(string a, int b) { "+click+" }"),
		call("private", "public Task Go() => Run();\n    private async Task<Dictionary<string, int>> Run() { "+click+" return null; }"),
		call("explicit interface", "public Task Go() => ((IGoing)this).Run();\n    async Task IGoing.Run() { "+click+" }"),
		call("local function", "public async Task Go() { await Run(); async Task<Dictionary<string, int>> Run() { "+click+" return null; } }"),
		call("local function of an expression", "public async Task Go() { Task Run(int x) => page.Locator(\"#go\").ClickAsync(); await Run(1); }"),
		call("lambda", "public async Task Go() { Func<Task> run = async () => { "+click+" }; await run(); }"),
		call("lambda field", "private readonly Func<IPage, Task> run = async page => { "+click+" };\n    public Task Go() => run(page);"),
		call("delegate", "public void Go() { page.Dialog += async delegate (object s, IDialog d) { "+click+" }; }"),
		call("callback", "public Task Go() => page.RunAndWaitForPopupAsync(async () => { "+click+" });"),
		call("method group", "public Task Go() => Task.WhenAll(new[] { 1 }.Select(Run));\n    async Task Run(int x) { "+click+" }"),
		call("blocks", "public async Task Go() { foreach (var x in new[] { 1 }) try { if (x is { } y && y > 0) { "+click+" } } catch (Exception e) when (e is A) { throw; } finally { Stop(); } }"),
		call("switch", "public Task Go() => 1 switch { > 1 and < 3 => Task.CompletedTask, _ => page.Locator(\"#go\").ClickAsync() };"),
		call("using", "public async Task Go() { await using var a = new A { B = 1, C = { 2 } }; "+click+" }"),
		call("inner class", "public Task Go() => new Inner<int>(page).Run();\n    class Inner<T>(IPage page) where T : struct { public async Task Run() { "+click+" } }"),
		call("constant", "private const string Selector = \"#go\";\n    public Task Go() => page.Locator(Selector).ClickAsync();"),
		call("property of the selector", "private string Selector => \"#go\";\n    public Task Go() => page.Locator(Selector).ClickAsync();"),
		{name: "static", source: "public static async Task Go(IPage page) { " + click + " }", use: "await Cart.Go(Page);"},
		read("property", "public ILocator Go => page.Locator(\"#go\");"),
		read("property with a body", "public ILocator Go { get { return page.Locator(\"#go\"); } }"),
		read("property with an arrow", "public ILocator Go { get => page.Locator(\"#go\"); private set { } }"),
		read("property on lines", "public ILocator\n        Go\n    {\n        [Step(\"x\")]\n        get\n        {\n            return page.Locator(\"#go\");\n        }\n    }"),
		read("generic property", "public Lazy<Dictionary<string, ILocator>> Go => new(() => new() { [\"x\"] = page.Locator(\"#go\") });"),
		read("initialised property", "public ILocator Go { get; init; } = Make().Locator(\"#go\");"),
		read("field", "public readonly ILocator Go = Make().Locator(\"#go\");"),
		read("field in the constructor", "public readonly ILocator Go;\n    public Cart(IPage page, int x) { Go = page.Locator(\"#go\"); }"),
		{name: "setter", source: "public string Go { set { page.Locator(\"#go\").FillAsync(value); } }", use: "cart.Go = \"x\";"},
		{name: "set in an initialiser", source: "public string Go { set => page.Locator(\"#go\").FillAsync(value); }", use: "var x = new Cart(Page) { Go = \"x\" };"},
		{name: "indexer", source: "public ILocator this[string x] => page.Locator(\"#go\");", use: "await cart[\"x\"].ClickAsync();"},
		{name: "indexer with a body", source: "public ILocator this[string x] { get { return page.Locator(\"#go\"); } }", use: "await cart[\"x\"].ClickAsync();"},
		{name: "operator", source: "public static Cart operator +(Cart a, int b) { a.page.Locator(\"#go\").ClickAsync(); return a; }", use: "cart += 1;"},
		{name: "conversion", source: "public static implicit operator Task(Cart a) => a.page.Locator(\"#go\").ClickAsync();", use: "await (Task)cart;"},
		{name: "disposed", source: "public async ValueTask DisposeAsync() { " + click + " }", use: "await using (cart) { }"},
		{name: "constructor", source: "public Cart(IPage page, int x) : this(page) { page.Locator(\"#go\").ClickAsync(); }", use: "new Cart(Page, 1);"},
		{name: "constructor of an expression", source: "public Cart(IPage page, int x) : this(page) => page.Locator(\"#go\").ClickAsync();", use: "new Cart(Page, 1);"},
		{name: "event", source: "public event Action Go { add { page.Locator(\"#go\").ClickAsync(); } remove { } }", use: "cart.Go += Stop;"},
		{name: "deconstructed", source: "public void Deconstruct(out ILocator a, out int b) { a = page.Locator(\"#go\"); b = 1; }", use: "var (a, b) = cart; await a.ClickAsync();"},
		{name: "handed on", source: "public async Task Go() { " + click + " }", use: "await Run(cart.Go);"},
		{name: "by reflection", source: "public async Task Go() { " + click + " }", use: "typeof(Cart).GetMethod(\"Go\").Invoke(cart, null);"},
		{name: "by reflection of a variable", source: "public async Task Go() { " + click + " }", use: "var name = \"G\" + \"o\"; typeof(Cart).GetMethod(name).Invoke(cart, null);"},
	}
}

func csharpModules() []member {
	const click = `page.Locator("#go").ClickAsync()`
	cart := func(name, source string) member {
		return member{name: name, source: "namespace Shop.Pages;\n" + source, use: "await cart.Go();", make: "var cart = new Cart(Page);"}
	}
	return []member{
		cart("primary constructor", "public class Cart(IPage page) : Base(page), IOther\n{\n    private readonly int a = 1;\n    public Task Go() => "+click+";\n    public void Other() { }\n}"),
		cart("argument of the base class", "public class Cart(IPage page) : Base(page.Locator(\"#go\"), new[] { 1 })\n{\n    public Task Go() => Root.ClickAsync();\n}"),
		cart("record", "public record struct Cart(IPage page, Dictionary<string, int> X = null) : IOther\n{\n    [Step(\"x\")] public readonly Task Go() => "+click+";\n    public void Other() { }\n}"),
		cart("interface", "public interface IGoing\n{\n    IPage page { get; }\n    [Step(\"x\")] async Task<Dictionary<string, int>> Go() { await "+click+"; return null; }\n}\npublic class Cart(IPage page) : IGoing { public void Other() { } }"),
		cart("abstract", "public abstract class Base { protected abstract Task<Dictionary<string, int>> Run();\n    public Task Go() => Run(); }\npublic class Cart(IPage page) : Base\n{\n    int a = 1;\n    protected override async Task<Dictionary<string, int>> Run() { await "+click+"; return null; }\n    public void Other() { }\n}"),
		cart("partial", "[Step(\"x\")]\npublic partial class Cart<T>(IPage page) where T : class, new() { public partial Task Go(); }\npublic partial class Cart<T>\n{\n    public partial async Task Go() { await "+click+"; }\n    public void Other() { }\n}"),
		cart("base class that acts when made", "public abstract class Base<T> where T : Dictionary<string, int>, new()\n{\n    protected Base(IPage page) { "+click+"; }\n}\npublic class Cart(IPage page) : Base<Dictionary<string, int>>(page)\n{\n    public Task Go() => null;\n}"),
		cart("nested namespaces", "class Other { }\nnamespace Deep { public class Cart(IPage page) { public Task Go() { return "+click+"; } public void Other() { } } }"),
	}
}
