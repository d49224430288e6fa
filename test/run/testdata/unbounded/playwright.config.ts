import { defineConfig } from "@playwright/test";

// No timeout of its own for any action, as Playwright Test has it: Breadcrumb gives each the
// third of what its test has left, 4 s.
export default defineConfig({
  testDir: "tests",
  timeout: 12_000,
  workers: 1,
  reporter: [["junit", { outputFile: "results/playwright.xml" }]],
  use: {
    browserName: "chromium",
    baseURL: process.env.SHOP_URL,
    launchOptions: { executablePath: process.env.CHROMIUM, args: (process.env.CHROMIUM_ARGS ?? "").split(" ") },
  },
});
