const { test, expect } = require('@playwright/test');
test('adds an item', async () => { expect(1 + 1).toBe(2); });
test.describe('cart', () => {
  test('fails always', async ({}, info) => {
    await info.attach('log', { path: __filename });
    const total = 41;
    expect(total).toBe(42);
  });
  test('is flaky', async ({}, info) => { expect(info.retry).toBe(1); });
  test.skip('is skipped', async () => {});
  test.fail('is expected to fail', async () => { expect(1).toBe(2); });
  test('times out', async () => { test.setTimeout(100); await new Promise(r => setTimeout(r, 3000)); });
  test.fixme('to be fixed', async () => {});
  test.describe.serial('in order', () => {
    test('first breaks', async () => { throw new TypeError('boom'); });
    test('second does not run', async () => {});
  });
});
