import { test } from '@playwright/test';
test.beforeAll(() => { throw new Error('beforeAll'); });
test('one', () => {}); test('two', () => {}); test('three', () => {});
