import { test } from '@playwright/test';
test.afterAll(() => { throw new Error('afterAll'); });
test('one', () => {}); test('two', () => {});
