const assert = require('assert');
describe('cart', () => {
  it('adds an item', () => {});
  it('counts items', () => { assert.strictEqual(41, 42); });
  it.skip('is skipped', () => {});
  describe('hooks', () => {
    before(() => { throw new Error('no database'); });
    it('never runs', () => {});
  });
});
