import type { Locator, Page } from "@playwright/test";
import { Table } from "../components/table";
import { TicketDialog } from "../components/ticket-dialog";

export class TicketsPage {
  readonly table: Table;
  readonly dialog: TicketDialog;
  readonly statusFilter: Locator;

  constructor(readonly page: Page) {
    this.table = new Table(page.getByRole("table"));
    this.dialog = new TicketDialog(page);
    this.statusFilter = page.locator(".status-filter");
  }

  async open() {
    await this.page.goto("/tickets.html");
    return this;
  }

  async showOnly(text: string) {
    await this.page.locator("#filter").fill(text);
  }

  async newTicket() {
    await this.page.locator("#new-ticket").click();
    return this.dialog;
  }
}
