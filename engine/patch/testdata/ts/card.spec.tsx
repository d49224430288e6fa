import { test, expect } from '@playwright/experimental-ct-react';

test('renders <Card title="#card-title">', async ({ mount, page }) => {
  const card = await mount(<Card title="#card-title" onClose={() => { log('#closed'); }}>It's {`#tpl`} / text</Card>);
  await page.locator('#card-title').click();
  await expect(card).toContainText('It');
});
