import { expect, test } from "./fixtures";

test.describe("Customers", () => {
  test("lists them", async ({ customers, page }) => {
    await expect(page.getByRole("main").getByRole("listitem")).toHaveText(["Northern Bakery", "Lake Garage"]);
  });

  test("saves a person", async ({ customers, page }) => {
    await customers.form.enter({ name: "Ola", email: "ola@example.com", country: "Kenya" });
    await customers.form.save();
    await expect(page.getByRole("status")).toHaveText("Ola, ola@example.com, Kenya, , person, false, false");
  });

  test("saves a company", async ({ customers, page }) => {
    await customers.form.enter({ name: "Lake Garage", email: "lake@example.com", since: "2020-02-29", company: true, news: true });
    await customers.form.save();
    await expect(page.getByRole("status")).toHaveText("Lake Garage, lake@example.com, Norway, 2020-02-29, company, true, false");
  });

  test("knows an email address", async ({ customers, page }) => {
    await customers.form.enter({ email: "nobody" });
    await customers.form.save();
    await expect(page.getByRole("alert")).toHaveText("This is no email address");
  });

  test("agrees to the terms", async ({ customers, page }) => {
    await page.locator("#agree").check();
    await customers.form.enter({ email: "a@example.com" });
    await customers.form.save();
    await expect(page.getByRole("status")).toContainText("true");
  });

  test("empties the form", async ({ customers, page }) => {
    await page.locator("#empty").click();
    await expect(page.getByRole("status")).toHaveText("The form is empty");
  });
});
