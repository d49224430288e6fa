package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.microsoft.playwright.Page;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Checkout")
class CheckoutTest extends BrowserTest {
    private Page page;

    @BeforeEach
    void open() {
        page = newPage();
        page.navigate("/checkout.html");
    }

    @Test
    void placesTheOrder() {
        page.locator("#place-order").click();
        assertEquals("Thank you for your order", page.locator("[role=status]").innerText());
    }

    @Test
    void offersExpressShipping() {
        page.locator("#ship-express").check();
        assertEquals("express", page.locator("input:checked").inputValue());
    }
}
