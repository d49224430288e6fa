import { test, expect, type Page } from '@playwright/test';

// page.locator('#only-in-comment').click()
const BASE = 'https://shop.example';

async function openMenu(page: Page) {
  await page.locator('#menu-toggle').click();
}

async function closeCard(card) {
  await card.getByText('Dismiss').click();
}

test.beforeEach(async ({ page }) => {
  await page.goto(`${BASE}/login`);
  await page.getByText('Accept cookies').click();
});

test('signs in', async ({ page }) => {
  await page.locator('#login-btn').click();
  await page.getByRole('textbox', { name: 'E-mail' }).fill('ann@shop.example');
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByTestId(`welcome`).waitFor();
  await page.getByPlaceholder('Search…').fill('shoes');
  await page.getByLabel('Password').fill('#login-btn');
  await page.locator("css=.price-tag").first().hover();
  await page.locator('xpath=//button[@id="buy"]').click();
  await page.locator('text=Continue shopping').click();
});

test("buys a pair", async ({ page }) => {
  await page
    .locator('#cart')
    .getByRole('button', { name: 'Check out' })
    .click();
  await page.locator('#twice').click();
  await expect(page.locator('#twice')).toBeHidden();
  await page.click('#pay-now');
  await page.fill('input[name="card"]', '4111');
  await page.getByAltText('Visa logo').click();
  await page.getByTitle('Close dialog').click();
  const row = page.locator('li', { hasText: 'Blue shoe' });
  await row.getByRole('button', { name: 'Remove' }).click();
  await page.frameLocator('#pay-frame').locator('#cvc').fill('123');
  await page.locator('#list >> .item').click();
  await page.locator('.grid').filter({ hasText: 'Total' }).click();
});

test.describe('account', () => {
  test.describe('profile', () => {
    test('saves', async ({ page }) => {
      await page.getByTestId('save-profile').click();
      await page.locator('[data-test="avatar"]').click();
    });
  });

  test.describe('address', () => {
    test('saves', async ({ page }) => {
      await page.getByTestId('save-address').click();
      await page.getByTestId('save-profile').isVisible();
    });
  });
});

for (const size of ['s', 'm', 'l']) {
  test(`picks size ${size}`, async ({ page }) => {
    await page.locator('#size-picker').selectOption(size);
    await page.locator(`#size-${size}`).click();
    await page.locator('#a' + size).click();
  });
}

test.only('computed', async ({ page, isMobile }) => {
  await page.locator(isMobile ? '#burger' : '#nav').click();
  await page.locator('#concat' + '-tail').click();
  await page.locator('#trimmed '.trim()).click();
  await page.getByText(/Regex only/i).click();
  await page.keyboard.press('#pressed');
  console.log('#logged');
  await page.locator(`line
two`).click();
  const pattern = /'#in-regex'/;
  await page.evaluate(() => document.querySelector('#dom-only'));
  await page.getByText('Both', { exact: true }).click();
  await page.getByText('Both').click();
  await page.getByRole('button', { name: 'Bold', pressed: true }).click();
});
