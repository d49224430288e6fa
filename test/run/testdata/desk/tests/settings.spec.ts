import { expect, test } from "./fixtures";

test.describe("Settings", () => {
  test.describe("Messages", () => {
    test("turns notifications on", async ({ settings, page }) => {
      await page.locator("#notify").click();
      await expect(settings.status).toHaveText("Notifications are on");
    });

    test("types a signature", async ({ settings, page }) => {
      await page.locator("#signature").pressSequentially("Ada L.");
      await page.keyboard.press("Tab");
      await expect(page.getByLabel("Signature")).toHaveValue("Ada L.");
    });

    test("changes the nickname by a double click", async ({ settings, page }) => {
      await page.locator(".nick").dblclick();
      await expect(settings.status).toHaveText("Changing the nickname");
    });
  });

  test("picks a theme in a shadow root", async ({ settings, page }) => {
    await page.locator("theme-picker .dark").click();
    await expect(settings.status).toHaveText("Dark it is");
  });

  test("drags a column", async ({ settings, page }) => {
    await page.locator("#col-status").dragTo(page.locator("#col-subject"));
    await expect(settings.status).toHaveText("Status column on Subject column");
  });

  test.describe("Your account", () => {
    test("is closed", async ({ settings, page }) => {
      page.on("dialog", (dialog) => dialog.accept());
      await page.locator("#close-account").click();
      await expect(settings.status).toHaveText("Your account is closed");
    });
  });

  test.describe("Unstable", () => {
    test.describe.configure({ retries: 1 });

    test("needs a second try", async ({ settings, page }, testInfo) => {
      await page.locator("#notify").click();
      await expect(settings.status).toHaveText("Notifications are on");
      expect(testInfo.retry).toBe(1);
    });
  });
});
