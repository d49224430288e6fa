import { describe, test, expect } from 'vitest';
describe('cart', () => {
  test('adds an item', () => { expect(1 + 1).toBe(2); });
  test('counts items', () => { expect(41).toBe(42); });
  test.skip('is skipped', () => {});
  test.todo('is to do');
  let runs = 0;
  test('is flaky', { retry: 2 }, () => { expect(++runs).toBe(2); });
});
