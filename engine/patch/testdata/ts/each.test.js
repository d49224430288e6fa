const { test } = require('@playwright/test');

test.each([['a'], ['b']])('opens %s', async (name) => {
  await page.locator('#each-open').click();
});

it('half a/b', async () => {
  const ratio = total / 2 / parts.length;
  await page.locator('#after-division').click();
});
