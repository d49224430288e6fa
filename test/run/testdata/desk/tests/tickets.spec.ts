import { expect, test } from "./fixtures";

test.describe("Tickets", () => {
  test("lists the first page", async ({ tickets }) => {
    await expect(tickets.table.rows).toHaveCount(4);
  });

  test("filters by a text", async ({ tickets }) => {
    await tickets.showOnly("pass");
    await expect(tickets.table.rows).toHaveText(/Password forgotten/);
  });

  for (const [status, count] of [["open", 3], ["waiting", 1], ["closed", 1]] as const) {
    test(`counts what is ${status}`, async ({ tickets }) => {
      await tickets.statusFilter.selectOption(status);
      await expect(tickets.table.rows).toHaveCount(count);
    });
  }

  test("opens a ticket from its row", async ({ tickets, page }) => {
    await tickets.table.row("Screen is dark").open();
    await expect(page).toHaveURL(/id=3$/);
  });

  test("closes a ticket in its row", async ({ tickets, page }) => {
    await tickets.table.row("Password forgotten").close();
    await expect(page.getByRole("status")).toHaveText("Closed Password forgotten");
  });

  test("selects all", async ({ tickets, page }) => {
    await tickets.table.selectAll.check();
    await expect(page.getByLabel("Select Mouse is missing")).toBeChecked();
  });

  test("sorts by priority", async ({ tickets }) => {
    await tickets.table.sortByPriority();
    await expect(tickets.table.rows.nth(1)).toContainText("Screen is dark");
  });

  test("goes to the next page", async ({ tickets, page }) => {
    await page.locator("#next").click();
    await expect(tickets.table.rows).toHaveText(/Phone is silent/);
  });

  test("goes back to the page before", async ({ tickets, page }) => {
    await page.locator("#next").click();
    await page.locator("#prev").click();
    await expect(tickets.table.rows).toHaveCount(4);
  });

  test("deletes what is selected", async ({ tickets, page }) => {
    page.on("dialog", (dialog) => dialog.accept());
    await page.getByLabel("Select Mouse is missing").check();
    await page.locator("#bulk-delete").click();
    await expect(page.getByRole("status")).toHaveText("Deleted 1");
  });

  test("shows the number of the page", async ({ tickets, page }) => {
    await expect(page.locator(".page")).toHaveText("1");
  });

  test("has no drafts", async ({ tickets, page }) => {
    expect(await page.locator(".draft").count()).toBe(0);
    await expect(page.locator(".draft")).toBeHidden();
  });
});
