import { expect, test } from "@playwright/test";
import { AccountPage } from "./pages/account-page";

test.describe("Account", () => {
  test("changes the name", async ({ page }) => {
    const account = new AccountPage(page);
    await account.open();
    await account.fillName("Ada Lovelace");
  });

  test("changes the address", async ({ page }) => {
    const account = new AccountPage(page);
    await account.open();
    await page.locator("#email").fill("ada@example.org");
  });

  test("changes the telephone number", async ({ page }) => {
    await new AccountPage(page).open();
    await page.getByLabel("Telephone", { exact: true }).fill("555 0100");
  });

  test("changes the country", async ({ page }) => {
    await new AccountPage(page).open();
    await page.locator("#country").selectOption("Norway");
  });

  test("takes the newsletter", async ({ page }) => {
    await new AccountPage(page).open();
    await page.locator("#newsletter").check();
  });

  test("saves", async ({ page }) => {
    await new AccountPage(page).open();
    await page.locator("#save-profile").click();
    await expect(page.getByRole("status")).toHaveText("Used: Save profile");
  });

  test("goes to security", async ({ page }) => {
    await new AccountPage(page).open();
    await page.getByRole("tab", { name: "Security", exact: true }).click();
  });

  test("types a password", async ({ page }) => {
    await new AccountPage(page).open();
    await page.locator("#new-password").fill("correct-horse-battery");
    await page.locator("#old-password").fill("hunter2-hunter2");
  });

  test("changes the birthday", async ({ page }) => {
    await new AccountPage(page).open();
    await page.locator("#birthday").fill("1990-12-10");
  });

  test("deletes the account", async ({ page }) => {
    await new AccountPage(page).open();
    await page.locator("#delete-account").click();
  });
});
