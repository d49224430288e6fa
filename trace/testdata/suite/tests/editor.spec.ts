import { test } from "@playwright/test";

test.beforeEach(async ({ page }) => {
  await page.goto("/editor.html");
});

test("writes a title", async ({ page }) => {
  await page.locator("#title").fill("Harbour news");
});

test("makes bold", async ({ page }) => {
  await page.getByRole("button", { name: "Bold", exact: true }).click();
});

test("makes italic", async ({ page }) => {
  await page.getByRole("button", { name: "Italic" }).click();
});

test("publishes", async ({ page }) => {
  await page.locator("#publish").click();
});

test("previews", async ({ page }) => {
  await page.locator('//button[@id="preview"]').click();
});

test("discards", async ({ page }) => {
  await page.locator("#discard").click();
});
