using Microsoft.Playwright.NUnit;
using Shop.Pages;

namespace Shop.Tests;

[TestFixture]
public class OrdersTests : PageTest
{
    private const string Badge = ".badge";

    [SetUp]
    public async Task SetUp() => await Page.GetByTitle("Start tour").ClickAsync();

    [Test]
    public async Task ShowsOrders()
    {
        await Page.AcceptCookiesAsync();
        var orders = new OrdersPage(Page);
        await orders.OpenAsync();
        const string legend = "#legend";
        await Page.Locator(legend).HoverAsync();
        await Page.Locator(Badge).ClickAsync();
        await Expect(Page.GetByText("42 orders")).ToBeVisibleAsync();
    }

    [TestCase("x")]
    public async Task Other(string id)
    {
        await Page.GetByText("Other only").ClickAsync();
    }
}
