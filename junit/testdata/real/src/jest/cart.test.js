describe('cart', () => {
  test('adds an item', () => { expect(1 + 1).toBe(2); });
  test('counts items', () => { expect(41).toBe(42); });
  test.skip('is skipped', () => {});
  describe('sums', () => { test.each([1, 2])('adds %i', (n) => { expect(n).toBeLessThan(2); }); });
});
