import { test as base } from "@playwright/test";

export { expect } from "@playwright/test";

// SHOP_HEALING names a module whose heal(page, testInfo) returns the page with
// healing locators. Without it the tests run as plain Playwright.
export const test = base.extend({
  page: async ({ page }, use, testInfo) => {
    const healing = process.env.SHOP_HEALING;
    await use(healing ? (await import(healing)).heal(page, testInfo) : page);
  },
});
