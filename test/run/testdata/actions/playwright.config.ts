import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "tests",
  timeout: 120_000,
  workers: 1,
  reporter: [["junit", { outputFile: "results/playwright.xml" }]],
  use: {
    browserName: "chromium",
    actionTimeout: Number(process.env.ACTION_TIMEOUT ?? 0),
    launchOptions: process.env.CHROMIUM ? { executablePath: process.env.CHROMIUM, args: (process.env.CHROMIUM_ARGS ?? "").split(" ") } : {},
  },
});
