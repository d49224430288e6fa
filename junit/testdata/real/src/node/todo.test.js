const test = require('node:test');
const assert = require('node:assert');
test('fails and is to do', { todo: true }, () => { assert.strictEqual(41, 42); });
test('passes and is to do', { todo: 'later' }, () => {});
test('passes', () => {});
