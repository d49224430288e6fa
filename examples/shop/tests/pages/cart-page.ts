import type { Page } from "@playwright/test";

export class CartPage {
  constructor(private readonly page: Page) {}

  get total() {
    return this.page.locator(".total");
  }

  async open() {
    await this.page.goto("/cart.html");
  }

  async setQuantity(sku: string, quantity: number) {
    await this.page.locator(`#qty-${sku}`).fill(String(quantity));
  }

  async remove(product: string) {
    await this.page.getByRole("button", { name: `Remove ${product}` }).click();
  }
}
