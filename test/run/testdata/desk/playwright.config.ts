import { defineConfig, devices } from "@playwright/test";

const { defaultBrowserType: _, ...desktop } = devices["Desktop Chrome"];

export default defineConfig({
  testDir: "tests",
  timeout: 60_000,
  fullyParallel: true,
  reporter: [["junit", { outputFile: "results/playwright.xml", includeRetries: true }]],
  use: {
    baseURL: process.env.DESK_URL,
    browserName: "chromium",
    actionTimeout: Number(process.env.DESK_TIMEOUT ?? 5_000),
    launchOptions: process.env.CHROMIUM
      ? { executablePath: process.env.CHROMIUM, args: (process.env.CHROMIUM_ARGS ?? "").split(" ") }
      : {},
  },
  expect: { timeout: Number(process.env.DESK_TIMEOUT ?? 5_000) },
  projects: [
    { name: "setup", testMatch: /.*\.setup\.ts/ },
    { name: "wide", dependencies: ["setup"], use: { ...desktop, storageState: ".auth/ada.json" } },
    { name: "narrow", dependencies: ["setup"], testMatch: /settings\.spec\.ts/, use: { storageState: ".auth/ada.json", viewport: { width: 500, height: 900 } } },
  ],
});
