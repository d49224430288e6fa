import type { Page } from "@playwright/test";

export class LoginPage {
  constructor(private readonly page: Page) {}

  async open() {
    await this.page.goto("/login.html");
  }

  async signIn(name: string, password: string) {
    await this.page.locator("#username").fill(name);
    await this.page.locator("#password").fill(password);
    await this.page.locator("#login-btn").click();
  }
}
