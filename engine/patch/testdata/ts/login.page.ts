import type { Locator, Page } from '@playwright/test';

export class LoginPage {
  readonly submit: Locator;
  readonly email: Locator;

  constructor(private readonly page: Page) {
    this.submit = page.getByTestId('submit');
    this.email = page.locator('#email');
  }

  async open() {
    await this.page.goto('/login');
    await this.page.locator('#open-form').click();
  }

  async signIn(user: string) {
    await this.email.fill(user);
    await this.page.locator('#remember').check(); await this.page.locator('#terms').check();
    await this.submit.click();
  }
}
