import { test } from "@playwright/test";

test.beforeEach(async ({ page }) => {
  await page.goto("/widgets.html");
});

test("turns the volume up", async ({ page }) => {
  await page.locator("#volume-up").click();
});

test("mutes", async ({ page }) => {
  await page.locator("#mute").click();
});

test("types a card number", async ({ page }) => {
  await page.frameLocator("#pay").locator("#card-number").fill("4111 1111 1111 1111");
});

test("pays", async ({ page }) => {
  await page.frameLocator("#pay").locator("#pay-now").click();
});

test("types the check digits", async ({ page }) => {
  await page.frameLocator("#pay").locator("#cvc").fill("123");
});

test("leaves", async ({ page }) => {
  await page.locator("#confirm-yes").click();
});
