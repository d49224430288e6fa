import type { Page } from "@playwright/test";

export class TicketPage {
  constructor(readonly page: Page) {}

  async open() {
    await this.page.goto("/ticket.html?id=1");
    return this;
  }

  async comment(text: string) {
    await this.page.locator("#comment").fill(text);
    await this.page.locator("#add-comment").click();
  }

  async escalate() {
    await this.page.locator(".more").hover();
    await this.page.locator(".escalate").click();
  }
}
