import { expect, test } from "./fixtures";
import { LoginPage } from "./pages/login-page";

test.describe("Login", () => {
  test("signs in", async ({ page }) => {
    const login = new LoginPage(page);
    await login.open();
    await login.signIn("ada", "lovelace");
    await expect(page).toHaveURL(/profile\.html/);
  });

  test("rejects a wrong password", async ({ page }) => {
    const login = new LoginPage(page);
    await login.open();
    await login.signIn("ada", "byron");
    await expect(page.getByRole("alert")).toHaveText("Wrong name or password");
  });
});
