using Microsoft.Playwright;

namespace Shop.Tests;

#region It's the page's "start"
public class LoginTests : PageTest
{
    private const string Login = "#login-constant";

    [SetUp]
    public async Task Open() => await Page.GetByText("Accept cookies").ClickAsync();

    [Test]
    public async Task SignsIn()
    {
        await Page.Locator("#login-btn").ClickAsync();
        await Page.GetByRole(AriaRole.Button, new() { Name = "Sign in" }).ClickAsync();
        await Page.GetByRole(AriaRole.Textbox, new PageGetByRoleOptions { Exact = true, Name = "E-mail" }).FillAsync("x");
        await Page.GetByTestId("welcome").WaitForAsync();
        await Page.Locator(@"input[name=""q""]").ClickAsync();
        await Page.Locator("""[data-x="raw"] b""").ClickAsync();
        await Page.Locator($"#plain-interpolated").ClickAsync();
        await Page.Locator($"#size-{1 + 1:00}").ClickAsync();
        await Page.Locator("#a" + 1).ClickAsync();
        await Page.ClickAsync("#legacy");
        await Page.Locator(selector: "#named").ClickAsync();
    }

    [TestCase("s")]
    public async Task Sizes(string size)
    {
        await Page.Locator("#size-picker").SelectOptionAsync(size);
        await Page.Locator(size == "s" ? "#small" : "#large").ClickAsync();
        // await Page.Locator("#commented").ClickAsync();
        await Page.Locator("#twice").ClickAsync();
        await Expect(Page.Locator("#twice")).ToBeVisibleAsync();
        await Page.Locator(".row").Filter(new() { HasText = "Blue" }).ClickAsync();
    }
}
#endregion
