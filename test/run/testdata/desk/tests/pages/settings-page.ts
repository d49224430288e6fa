import type { Page } from "@playwright/test";

export class SettingsPage {
  constructor(readonly page: Page) {}

  async open() {
    await this.page.goto("/settings.html");
    return this;
  }

  get status() {
    return this.page.getByRole("status");
  }
}
