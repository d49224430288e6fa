import { expect, test } from "@playwright/test";

test.beforeEach(async ({ page }) => {
  await page.goto("/orders.html");
});

test("cancels an order", async ({ page }) => {
  await page.locator("#cancel-1042").click();
});

test("exports", async ({ page }) => {
  await page.locator("#export").click();
});

test("opens an invoice", async ({ page }) => {
  await page.getByRole("link", { name: "Invoice 1041", exact: true }).click();
});

test("filters by status", async ({ page }) => {
  await page.locator("#status-filter").selectOption("Sent");
});

test("opens the last order", async ({ page }) => {
  await page.locator("#view-1043").click();
});

test("prints", async ({ page }) => {
  await page.locator("#print").click();
});

test("reads the sum", async ({ page }) => {
  expect(await page.locator(".sum").textContent()).toContain("orders");
});
