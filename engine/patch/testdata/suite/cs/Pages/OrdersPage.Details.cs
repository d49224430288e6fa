namespace Shop.Pages
{
    public partial class OrdersPage
    {
        public ILocator Details => _page.GetByRole(AriaRole.Dialog)
            .GetByRole(AriaRole.Heading, new() { Name = "Order details", Exact = true });
    }
}
