using System;
using System.Threading.Tasks;
using Microsoft.Playwright;

namespace Shop
{
    /// <summary>Opens a page of the shop for a test.</summary>
    public abstract class BrowserTest
    {
        protected static async Task<IPage> NewPage()
        {
            IPlaywright playwright = await Playwright.CreateAsync();
            IBrowser browser = await playwright.Chromium.LaunchAsync();
            return await browser.NewPageAsync(new BrowserNewPageOptions { BaseURL = Environment.GetEnvironmentVariable("SHOP_URL") });
        }
    }
}
