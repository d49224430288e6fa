import { expect, test } from "./fixtures";

test.describe("Checkout", () => {
  test.beforeEach(async ({ page }) => {
    await page.goto("/checkout.html");
  });

  test("adds the shipping to the total", async ({ page }) => {
    await page.getByLabel("Express").check();
    await expect(page.locator(".total")).toHaveText("$37.00");
  });

  test("places the order", async ({ page }) => {
    await page.locator("#place-order").click();
    await expect(page.getByRole("status")).toHaveText("Thank you for your order");
  });
});
