import { expect, test } from "./fixtures";

test.describe("Ticket", () => {
  test("gets a comment", async ({ ticket, page }) => {
    await ticket.comment("Water is on its way.");
    await expect(page.getByRole("listitem").filter({ hasText: "Water" })).toBeVisible();
  });

  test("is assigned", async ({ ticket, page }) => {
    await page.locator("#assignee").selectOption("Grace");
    await expect(page.getByRole("status")).toHaveText("Assigned to Grace");
  });

  test("shows its history", async ({ ticket, page }) => {
    await page.locator("#tab-history").click();
    await expect(page.getByText("Opened by Grace")).toBeVisible();
  });

  test("takes a file", async ({ ticket, page }) => {
    await page.locator("#file").setInputFiles({ name: "fire.txt", mimeType: "text/plain", buffer: Buffer.from("hot") });
    await expect(page.getByRole("status")).toHaveText("Attached fire.txt");
  });

  test("is escalated from its menu", async ({ ticket, page }) => {
    await ticket.escalate();
    await expect(page.getByRole("status")).toHaveText("Escalated");
  });

  test("is renamed in a prompt", async ({ ticket, page }) => {
    page.on("dialog", (dialog) => dialog.accept("Printer is wet"));
    await page.locator("#rename").click();
    await expect(page.getByRole("heading", { name: "Printer is wet" })).toBeVisible();
  });

  test("tells when it was changed", async ({ ticket, page }) => {
    expect(await page.locator("#last-change").textContent()).toBe("yesterday by Grace");
  });

  test("tells its state in an assertion", async ({ ticket, page }) => {
    await expect(page.locator("#state")).toHaveText("open");
  });

  test("is seen by two people at once", async ({ ticket, page, browser }) => {
    const other = await browser.newPage({ storageState: ".auth/ada.json" });
    await other.goto(page.url());
    await other.locator("#comment").fill("Me too");
    await other.locator("#add-comment").click();
    await expect(other.getByRole("listitem").filter({ hasText: "Me too" })).toBeVisible();
    await expect(page.getByText("Me too")).toBeHidden();
    await other.close();
  });
});
