import { test } from '@playwright/test';

test('elsewhere', async ({ page }) => {
  await page.locator('#only-unrelated').click();
});
