import { test } from '@playwright/test';

test('crlf', async ({ page }) => {
	await page.locator('#crlf').click();
});
