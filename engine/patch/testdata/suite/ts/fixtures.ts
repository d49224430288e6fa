import { test as base } from '@playwright/test';
import { CheckoutPage, Cart } from '@pages';
import { acceptCookies } from './helpers/cookies';

type Fixtures = { checkout: CheckoutPage; cart: Cart };

export const test = base.extend<Fixtures>({
  checkout: async ({ page }, use) => {
    await acceptCookies(page);
    await use(new CheckoutPage(page));
  },
  cart: async ({ page }, use) => {
    await use(new Cart(page));
    await page.getByTitle('Clear basket').click();
  },
});
export { expect } from '@playwright/test';
