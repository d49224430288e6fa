namespace Shop.Support;

public static class PageExtensions
{
    public static async Task AcceptCookiesAsync(this IPage page)
    {
        await page.GetByRole(AriaRole.Button, new() { Name = "Accept all" }).ClickAsync();
    }
}

public static class Sel
{
    public const string Grid = "table.grid";
    internal const string Pager = @"nav[aria-label=""Pages""]";
    public const string Mixed = "#mixed";
    public static readonly string Unused = "#unused";
}
