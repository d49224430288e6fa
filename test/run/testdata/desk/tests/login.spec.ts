import { expect, test } from "./fixtures";

test.use({ storageState: { cookies: [], origins: [] } });

test.describe("Login", () => {
  test.beforeEach(async ({ page }) => {
    await page.goto("/tickets.html");
    await expect(page).toHaveURL(/login\.html/);
  });

  test("signs in by the keyboard", async ({ page }) => {
    await page.locator("#user").fill("grace");
    await page.locator("#pass").fill("hopper");
    await page.locator("#pass").press("Enter");
    await expect(page).toHaveURL(/tickets\.html/);
  });

  test("rejects a wrong password", async ({ page }) => {
    await page.locator("#user").fill("grace");
    await page.locator("#pass").fill("x");
    await page.locator("#sign-in").click();
    await expect(page.getByRole("alert")).toHaveText("Wrong user or password");
  });

  test("shows the password", async ({ page }) => {
    await page.locator("#show-pass").check();
    await expect(page.getByLabel("Password", { exact: true })).toHaveAttribute("type", "text");
  });

  test("opens the help in a page of its own", async ({ page }) => {
    const [help] = await Promise.all([page.waitForEvent("popup", { timeout: 30_000 }), page.locator(".help-link").click()]);
    await expect(help.getByRole("heading")).toHaveText("Help");
  });
});
