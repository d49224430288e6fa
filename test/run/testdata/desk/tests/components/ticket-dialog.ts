import type { Locator, Page } from "@playwright/test";

/** The dialog that creates a ticket. */
export class TicketDialog {
  readonly root: Locator;
  readonly error: Locator;

  constructor(page: Page) {
    this.root = page.getByRole("dialog", { name: "New ticket" });
    this.error = this.root.getByRole("alert");
  }

  async enter(ticket: { subject: string; text?: string; high?: boolean }) {
    await this.root.locator("#title").fill(ticket.subject);
    if (ticket.text) await this.root.locator("#body").fill(ticket.text);
    if (ticket.high) await this.root.locator("#prio-high").check();
  }

  async create() {
    await this.root.locator("#create").click();
  }

  async cancel() {
    await this.root.locator("#cancel").click();
  }
}
