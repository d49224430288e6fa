import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "tests",
  timeout: 10_000,
  expect: { timeout: 2_000 },
  retries: 1,
  workers: 1,
  reporter: [["junit", { outputFile: "results/playwright.xml", includeRetries: true }]],
  projects: [{ name: "chromium" }],
  use: {
    baseURL: process.env.SHOP_URL ?? "http://127.0.0.1:8099",
    browserName: "chromium",
    actionTimeout: 2_000,
    launchOptions: process.env.CHROMIUM
      ? { executablePath: process.env.CHROMIUM, args: (process.env.CHROMIUM_ARGS ?? "").split(" ") }
      : {},
  },
});
