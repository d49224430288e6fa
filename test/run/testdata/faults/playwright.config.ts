import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "tests",
  timeout: 60_000,
  reporter: [["junit", { outputFile: "results/playwright.xml" }]],
  use: {
    browserName: "chromium",
    actionTimeout: 20_000,
    launchOptions: { executablePath: process.env.CHROMIUM, args: (process.env.CHROMIUM_ARGS ?? "").split(" ") },
  },
});
