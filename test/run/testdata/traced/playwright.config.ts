import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "tests",
  timeout: 30_000,
  expect: { timeout: 1_500 },
  workers: 1,
  reporter: [["junit", { outputFile: "results/playwright.xml" }], ["json", { outputFile: "results/playwright.json" }]],
  use: {
    trace: { mode: "on", screenshots: false, sources: true },
    launchOptions: process.env.CHROMIUM ? { executablePath: process.env.CHROMIUM, args: (process.env.CHROMIUM_ARGS ?? "").split(" ") } : {},
  },
});
