import { expect, test } from "./fixtures";

test.describe("New ticket", () => {
  test("creates a ticket", async ({ tickets, page }) => {
    const dialog = await tickets.newTicket();
    await dialog.enter({ subject: "Keyboard is sticky", text: "Tea was involved.", high: true });
    await dialog.create();
    await expect(page.getByRole("status")).toHaveText("Created Keyboard is sticky, priority high");
  });

  test("creates nothing when it is cancelled", async ({ tickets, page }) => {
    const dialog = await tickets.newTicket();
    await dialog.enter({ subject: "Keyboard is sticky" });
    await dialog.cancel();
    await expect(page.getByRole("status")).toHaveText("Nothing was created");
  });

  test("needs a subject", async ({ tickets }) => {
    const dialog = await tickets.newTicket();
    await dialog.create();
    await expect(dialog.error).toHaveText("A ticket needs a subject");
  });
});
