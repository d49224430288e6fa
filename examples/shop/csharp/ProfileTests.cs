using System.Threading.Tasks;
using Microsoft.Playwright;
using NUnit.Framework;

namespace Shop
{
    [TestFixture]
    public class ProfileTests : BrowserTest
    {
        [Test]
        public async Task SavesTheName()
        {
            IPage page = await NewPage();
            await page.GotoAsync("/profile.html");
            await page.Locator("[name=display]").FillAsync("Countess");
            await page.Locator("#save-profile").ClickAsync();
            Assert.AreEqual("Countess", await page.Locator("h1").InnerTextAsync());
        }
    }
}
