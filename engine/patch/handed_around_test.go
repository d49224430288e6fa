package patch

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/breadcrumb/action/engine"
)

// A driver stands around another one, of the same interface, and tells what it does before it
// hands the selector on.
func TestADriverAroundADriverIsFollowedToTheOneThatLooks(t *testing.T) {
	t.Parallel()
	const csharp = `namespace Shop;
public interface IDriver { Task ClickAsync(string selector); Task<string> TextAsync(string selector); }
public class PageDriver : IDriver
{
    private readonly IPage _page;
    public Task ClickAsync(string selector) => _page.Locator(selector).ClickAsync();
    public Task<string> TextAsync(string selector) => _page.InnerTextAsync(selector);
}
public class LoggingDriver : IDriver
{
    private readonly IDriver _driver;
    public Task ClickAsync(string selector) => Run("click", selector, () => _driver.ClickAsync(selector));
    public Task<string> TextAsync(string selector) { return Run("text", selector, async () => await _driver.TextAsync(selector)); }
    private static async Task Run(string what, string selector, Func<Task> action)
    {
        RUN
    }
}
public class CartPage
{
    private const string Save = "#save";
    protected readonly IDriver Driver;
    public async Task Open() { await Driver.ClickAsync(Save); await Driver.TextAsync(Save); }
}
public class CartTests : PageTest
{
    [Test]
    public async Task Saves() => await new CartPage().Open();
}
`
	const java = `class CartTest {
  interface Driver { void click(String selector); }
  static class PageDriver implements Driver {
    public void click(String selector) { page.locator(selector).click(); }
  }
  static class LoggingDriver implements Driver {
    private final Driver driver;
    public void click(String selector) { run("click", selector, () -> driver.click(selector)); }
    private void run(String what, String selector, Runnable action) {
      RUN
    }
  }
  private final Driver driver = new LoggingDriver(new PageDriver());
  @Test
  void saves() { driver.click("#save"); }
}
`
	for _, c := range []struct {
		file, text, run string
		edits           bool
	}{
		{"CartTests.cs", csharp, `Console.WriteLine($"start {what} of {selector}"); await action();`, true},
		{"CartTests.cs", csharp, `await action();`, true},
		{"CartTests.cs", csharp, `seen.Add(selector); await action();`, false},
		{"CartTests.cs", csharp, `if (selector == "#store") return; await action();`, false},
		{"CartTests.cs", strings.ReplaceAll(csharp, "_page.Locator(selector)", "_page.Locator(known[selector])"), `await action();`, false},
		{"CartTests.cs", strings.ReplaceAll(csharp, "_page.Locator(selector)", "ClickAsync(selector)"), `await action();`, false},
		{"CartTest.java", java, `log.info("start " + what + " of " + selector); action.run();`, true},
		{"CartTest.java", java, `last = selector; action.run();`, false},
	} {
		id := map[string]engine.TestID{"CartTests.cs": "CartTests.cs › Saves", "CartTest.java": "CartTest.java › saves"}[c.file]
		h := engine.HealEvent{TestID: id, Locator: "#save", HealedLocator: "#store", Outcome: engine.OutcomeHealed, Confidence: 1}
		got := New(fstest.MapFS{c.file: {Data: []byte(strings.Replace(c.text, "RUN", c.run, 1))}}).Propose(h, nil)
		if edits := got.Edit != nil && got.Sure(); edits != c.edits {
			t.Errorf("%s, %s: %+v, %s", c.file, c.run, got.Edit, got.Reason)
		}
	}
}
