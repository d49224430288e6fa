import type { FrameLocator, Page } from "@playwright/test";

export class ReportsPage {
  readonly chart: FrameLocator;

  constructor(readonly page: Page) {
    this.chart = page.frameLocator("[name=chart]");
  }

  async open() {
    await this.page.goto("/reports.html");
    return this;
  }

  async chooseRange(from: string, to: string) {
    await this.page.locator("[data-test=from]").fill(from);
    await this.page.locator("[data-test=to]").fill(to);
    await this.page.locator("#apply").click();
  }
}
