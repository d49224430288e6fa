import { Page } from '@playwright/test';

export async function acceptCookies(page: Page) {
  // #cookie-accept-old was the first one
  await page.click('#cookie-accept');
}

export const dismiss = async (page: Page, label = 'Not now') => {
  await page.getByRole('button', { name: label }).click();
};

export function legacy(page: Page) {
  return page.locator('#legacy'.concat('-x'));
}
