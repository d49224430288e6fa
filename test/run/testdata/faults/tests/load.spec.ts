import { expect, test } from "@playwright/test";

test.describe.configure({ mode: "parallel" });

const size = 50_000_000;

test("gets a long answer", async ({ page }) => {
  const text = await page.evaluate((size) => "é".repeat(10) + "x".repeat(size) + "end", size);
  expect(text.length).toBe(size + 13);
  expect(text.slice(0, 11) + text.slice(-4)).toBe("ééééééééééxxend");
});

test("sends a long argument", async ({ page }) => {
  expect(await page.evaluate((text) => text.length + text.slice(-3), "x".repeat(size) + "end")).toBe(size + 3 + "end");
});

test("reads slower than the page speaks", async ({ page }) => {
  const heard: string[] = [];
  page.on("console", (message) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    heard.push(message.text().slice(-4));
  });
  await page.evaluate(() => {
    for (let i = 1000; i < 3000; i++) console.log("y".repeat(10_000) + i);
  });
  await expect.poll(() => heard.length, { timeout: 50_000 }).toBe(2000);
  expect(heard).toEqual(Array.from({ length: 2000 }, (_, i) => String(1000 + i)));
});

for (const worker of [1, 2, 3, 4, 5]) {
  test(`clicks in worker ${worker}`, async ({ page }) => {
    await page.setContent("<h1>Shop</h1><p></p><button id=pay onclick=\"document.querySelector('p').textContent += 'x'\">Pay</button>");
    for (let i = 0; i < 20; i++) await page.locator("#pay").click();
    await expect(page.locator("p")).toHaveText("x".repeat(20));
  });
}
