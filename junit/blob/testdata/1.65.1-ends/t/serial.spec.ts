import { test } from '@playwright/test';
test.describe.serial('serial', () => {
test('s1', () => {}); test('s2', () => { throw new Error('x'); }); test('s3', () => {}); test.skip('s4', () => {});
});
