import type { Page } from '@playwright/test';
import { steps } from './checkout.selectors';

export class CartPage {
  constructor(private page: Page) {}

  readonly items = () => this.page.locator('li.cart-item');
  quantity = (name: string) => this.items().filter({ hasText: name }).locator('input.qty');

  async open() {
    await this.page.getByRole('link', { name: 'Basket' }).click();
  }

  async payByCard() {
    await this.page.locator(steps.payment.card).click();
    await this.page.locator(steps.shipping['standard-rate']).click();
  }
}
