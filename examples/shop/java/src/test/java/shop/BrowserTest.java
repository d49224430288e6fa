package shop;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** One browser for the tests of a class, a new page for each test. */
abstract class BrowserTest {
    private static Playwright playwright;
    private static Browser browser;

    @BeforeAll
    static void launch() {
        playwright = Playwright.create();
        browser = playwright.chromium().launch();
    }

    @AfterAll
    static void close() {
        playwright.close();
    }

    Page newPage() {
        return browser.newPage(new Browser.NewPageOptions().setBaseURL(System.getenv("SHOP_URL")));
    }
}
