using System.Threading.Tasks;
using Microsoft.Playwright;
using NUnit.Framework;

namespace Shop
{
    [TestFixture]
    public class LoginTests : BrowserTest
    {
        [Test]
        public async Task SignsIn()
        {
            IPage page = await NewPage();
            await page.GotoAsync("/login.html");
            await page.Locator("[name=username]").FillAsync("ada");
            await page.Locator("#password").FillAsync("lovelace");
            await page.Locator(@"form.login > #login-btn").ClickAsync();
            Assert.AreEqual("Ada Lovelace", await page.Locator("h1").InnerTextAsync());
        }
    }
}
