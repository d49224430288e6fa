import { expect, test } from "@playwright/test";
import { readdirSync, readFileSync } from "node:fs";

/** Kills the processes of this run whose command line has all the words and none of the others. */
function kill(words: string[], not: string[] = []) {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      if (!readFileSync(`/proc/${pid}/environ`, "utf8").includes(`FAULT_RUN=${process.env.FAULT_RUN}\0`)) continue;
      if (words.every((word) => line.includes(word)) && !not.some((word) => line.includes(word))) process.kill(Number(pid), "SIGKILL");
    } catch {
      // it has ended
    }
  }
}

test("before", async ({ page }) => {
  await page.setContent("<h1>Shop</h1><button id=pay>Pay</button>");
  await page.locator("#pay").click();
});

test("the fault", async ({ page }) => {
  await page.setContent("<h1>Shop</h1><button id=pay>Pay</button>");
  const lost = page.locator("#lost").click();
  lost.catch(() => {});
  await page.locator("#pay").click();
  switch (process.env.FAULT) {
    case "browser": kill(["chrom"], ["--type=", "node"]); break;
    case "breadcrumb": kill(["breadcrumb", "\0run\0"]); break;
    case "client": process.kill(process.pid, "SIGKILL");
  }
  await lost;
});

test("after", async ({ page }) => {
  await page.setContent("<h1>Shop</h1><button id=pay>Pay</button>");
  await page.locator("#pay").click();
  expect(await page.locator("#pay").count()).toBe(1);
});
