import type { Page } from "@playwright/test";

export class AccountPage {
  constructor(private readonly page: Page) {}

  async open() {
    await this.page.goto("/account.html");
  }

  async fillName(name: string) {
    await this.page.locator("#full-name").fill(name);
  }
}
