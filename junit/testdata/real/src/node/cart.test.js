const { test, describe, it } = require('node:test');
const assert = require('node:assert');
describe('cart', () => {
  it('adds # one', () => {});
  it('fails', () => { assert.strictEqual(41, 42); });
  it.skip('is skipped', () => {});
  it.todo('is to do');
  describe('inner', () => { it('deep', () => {}); });
});
test('top level', () => {});
test('with subtests', async (t) => { await t.test('child', () => {}); });
