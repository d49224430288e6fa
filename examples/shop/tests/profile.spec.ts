import { expect, test } from "./fixtures";

test.describe("Profile", () => {
  test("shows the orders", async ({ page }) => {
    await page.goto("/profile.html?user=grace");
    await page.locator("#show-orders").click();
    await expect(page.locator(".orders li")).toHaveCount(2);
  });

  test.skip("changes the picture", async ({ page }) => {
    await page.goto("/profile.html");
    await page.getByLabel("Picture").setInputFiles("ada.png");
  });
});
