using Microsoft.Playwright;

namespace Shop.Pages
{
    public partial class OrdersPage
    {
        private readonly IPage _page;
        private readonly string _refresh = "#refresh";
        private string Export => "#export";
        public ILocator Search => _page.GetByPlaceholder("Search orders");
        private ILocator Row(string id) => _page.Locator("tr").Filter(new() { HasText = "Order" }).Locator($"#{id}");

        public OrdersPage(IPage page)
        {
            _page = page;
        }

        public async Task OpenAsync()
        {
            await _page.Locator(Sel.Grid).WaitForAsync();
            await _page.Locator(Sel.Pager).ClickAsync();
            await _page.ClickAsync(_refresh);
            await _page.Locator(Export).ClickAsync();
            await _page.Locator(Sel.Mixed).ClickAsync();
            Note(Sel.Mixed);
            await _page.Locator($"#order-{Row("1")}").ClickAsync();
            await _page.Locator("#a-" + Sel.Grid).ClickAsync();
            await _page.GetByText(_page.Url == "x" ? "Left" : "Right").ClickAsync();
        }
    }
}
