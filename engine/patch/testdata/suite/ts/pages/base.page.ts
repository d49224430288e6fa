import { type Locator, type Page } from '@playwright/test';

export abstract class BasePage {
  protected readonly toast: Locator;

  constructor(protected readonly page: Page) {
    this.toast = page.locator('.toast-message');
  }

  async logout() {
    await this.page.getByRole('button', { name: 'Account menu' }).click();
    await this.page.getByRole('menuitem', { name: "Sign out" }).click();
  }
}
