import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "tests",
  timeout: 15_000,
  expect: { timeout: 5_000 },
  workers: 2,
  reporter: [
    ["junit", { outputFile: "results/junit.xml", includeRetries: true }],
    ["json", { outputFile: "results/report.json" }],
    ["blob", { outputDir: "results/blob" }],
  ],
  outputDir: "results/tests",
  projects: [{ name: "chromium" }],
  use: {
    baseURL: process.env.SUITE_URL,
    browserName: "chromium",
    actionTimeout: Number(process.env.ACTION_TIMEOUT ?? 5_000),
    trace: { mode: "on", screenshots: false, sources: false },
    launchOptions: { executablePath: process.env.CHROMIUM, args: (process.env.CHROMIUM_ARGS ?? "").split(" ").filter(Boolean) },
  },
});
