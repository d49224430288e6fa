import { test as setup } from "./fixtures";

setup("signs Ada in", async ({ page }) => {
  await page.goto("/login.html");
  await page.locator("#user").fill("ada");
  await page.locator("#pass").fill("lovelace");
  await page.locator("#sign-in").click();
  await page.waitForURL("**/tickets.html");
  await page.context().storageState({ path: ".auth/ada.json" });
});
