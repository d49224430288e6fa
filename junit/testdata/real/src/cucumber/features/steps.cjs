const { Given, Then } = require('@cucumber/cucumber');
const assert = require('assert');
Given('an empty cart', function () { this.cart = []; });
Then('it holds {int} items', function (n) { assert.strictEqual(this.cart.length, n); });
