import { expect, test } from "./fixtures";

test.describe("Search", () => {
  test("finds a product", async ({ page }) => {
    await page.goto("/search.html");
    await page.getByPlaceholder("Search products").fill("towel");
    await page.getByTestId("search-go").click();
    await expect(page.getByRole("status")).toHaveText("1 found");
  });
});
