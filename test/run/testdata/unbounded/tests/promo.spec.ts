import { expect, test } from "@playwright/test";

test("fills", async ({ page }) => {
  await page.goto("/promo");
  await page.locator("#promo").fill("SAVE");
  await expect(page.locator("output")).toHaveText("SAVE");
});

test("clicks", async ({ page }) => {
  await page.goto("/promo");
  await page.locator("#pay").click();
  await expect(page.locator("output")).toHaveText("paid");
});

test("dispatches an event", async ({ page }) => {
  await page.goto("/promo");
  await page.locator("#pay").dispatchEvent("click");
  await expect(page.locator("output")).toHaveText("paid");
});

test("reads with little time", async ({ page }) => {
  await page.goto("/promo");
  expect(await page.locator("#promo").getAttribute("name", { timeout: 1_000 })).toBe("promo");
});

test("waits for what comes late", async ({ page }) => {
  await page.goto("/late");
  await page.locator("#promo").fill("SAVE");
  await expect(page.locator("output")).toHaveText("SAVE");
});

test("fills what is gone", async ({ page }) => {
  await page.goto("/gone");
  await page.locator("#promo").fill("SAVE");
});
