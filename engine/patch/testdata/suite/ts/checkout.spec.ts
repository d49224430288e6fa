import { test, expect } from './fixtures';
import { dismiss, legacy } from './helpers/cookies';
import { texts } from '@pages/checkout.selectors';

test.describe('checkout', () => {
  const newsletter = '#newsletter';

  test.beforeEach(async ({ page }) => {
    await page.goto('/checkout');
    await page.getByPlaceholder('Your name').fill('Ann');
  });

  test('pays by card', async ({ checkout, cart, page }) => {
    const country = '#country';
    await cart.open();
    await checkout.applyPromo('SAVE');
    await page.locator(country).selectOption('DE');
    await page.locator(newsletter).check();
    await checkout.payButton.click();
    await expect(page.getByText('Thank you')).toBeVisible();
  });

  test('leaves', async ({ page }) => {
    const country = '#country-other';
    await page.locator(country).hover();
    await page.getByText('Goodbye').click();
    for (const t of texts) await page.locator(t).click();
    await dismiss(page);
    await legacy(page).click();
  });
});
