import { expect, test } from "./fixtures";
import { CartPage } from "./pages/cart-page";

test.describe("Cart", () => {
  test("changes a quantity", async ({ page }) => {
    const cart = new CartPage(page);
    await cart.open();
    await cart.setQuantity("mug", 3);
    await expect(cart.total).toHaveText("$52.00");
  });

  test("removes a product", async ({ page }) => {
    const cart = new CartPage(page);
    await cart.open();
    await cart.remove("Tea towel");
    await expect(cart.total).toHaveText("$12.00");
  });

  test("leads to the checkout", async ({ page }) => {
    await page.goto("/cart.html");
    await page.locator("#checkout-link").click();
    await expect(page).toHaveURL(/checkout\.html/);
  });
});
