import { expect, test } from "@playwright/test";

test.describe("Catalogue", () => {
  test.beforeEach(async ({ page }) => {
    await page.goto("/catalog.html");
  });

  test("adds a mug", async ({ page }) => {
    await page.locator("#add-mug").click();
    await expect(page.getByRole("status")).toHaveText("Used: Add to cart");
  });

  test("adds a teapot", async ({ page }) => {
    await page.locator("#add-teapot").click();
  });

  test("adds a lamp", async ({ page }) => {
    await page.locator("#add-lamp").click();
  });

  test("searches", async ({ page }) => {
    await page.locator("#search-box").fill("lamp");
    await expect(page.locator("h1")).toHaveText("Catalogue");
  });

  test("picks a category", async ({ page }) => {
    await page.getByLabel("Category").selectOption("Kitchen");
  });

  test("shows what is in stock", async ({ page }) => {
    await page.locator("#in-stock").check();
  });

  test("applies filters", async ({ page }) => {
    await page.getByRole("button", { name: "Apply filters" }).click();
  });

  test("sorts", async ({ page }) => {
    await page.getByTestId("sort").selectOption("Price");
  });

  test("opens details", async ({ page }) => {
    await page.getByText("Details of the teapot").click();
  });

  test("wishes for a lamp", async ({ page }) => {
    await page.getByTestId("wish-lamp").click();
  });

  test("turns the page", async ({ page }) => {
    await page.locator(".next-page").click();
  });

  test("types a mail address", async ({ page }) => {
    await page.getByPlaceholder("Your e-mail", { exact: true }).fill("ada@example.org");
  });

  test("subscribes", async ({ page }) => {
    await page.locator("#subscribe").click();
  });

  test("has gifts wrapped", async ({ page }) => {
    await page.locator("#gift-wrap").check();
  });

  test("adds a clock", async ({ page }) => {
    await page.locator("#add-clock").click();
  });

  test("compares", async ({ page }) => {
    await page.locator("#compare").click();
  });

  test("opens the chat", async ({ page }) => {
    await page.locator("#chat-open").click();
  });

  test("clears the filters", async ({ page }) => {
    await page.getByRole("button", { name: "Clear" }).click();
    await expect(page.locator(".card h2").first()).toHaveText("Blue mug");
  });
});
