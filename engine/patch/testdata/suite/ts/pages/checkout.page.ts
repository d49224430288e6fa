import { expect, type Locator, type Page } from '@playwright/test';
import { BasePage } from './base.page.js';
import { SummaryCard } from '../components/summary-card';
import { Checkout, CHECKOUT_ROOT, steps } from './checkout.selectors';

export class CheckoutPage extends BasePage {
  private readonly promo = '#promo-code';
  static readonly BANNER: string = '[data-test="banner"]';
  readonly email: Locator;
  readonly summary: SummaryCard;
  private phone = '#phone';

  constructor(page: Page) {
    super(page);
    this.email = page.getByLabel('E-mail address', { exact: true });
    this.summary = new SummaryCard(page.getByTestId('summary'));
  }

  get payButton() {
    return this.page.locator(CHECKOUT_ROOT).getByRole('button', {
      name: 'Pay now',
    });
  }

  async applyPromo(code: string) {
    await this.page.fill(this.promo, code);
    await this.page.locator(Checkout.apply).click();
    await expect(this.page.locator(CheckoutPage.BANNER)).toBeVisible();
  }

  async fillPhone(value: string) {
    await this.page.locator(this.phone).fill(value);
    report(this.phone);
  }

  async choose(kind: string) {
    await this.page.locator(steps.shipping.express).click();
    await this.page.locator(`#ship-${kind}`).click();
    await this.page.locator('#ship-' + kind).click();
    await this.page.getByText(kind === 'gift' ? 'Gift wrap' : 'No wrap').click();
  }

  row(name: string): Locator {
    return this.page.getByRole('row', { name }).getByTestId('row-total');
  }
}
