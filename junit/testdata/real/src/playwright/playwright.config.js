const { defineConfig } = require('@playwright/test');
const outputFile = process.env.OUT;
const reporters = {
  junit: [['junit', { outputFile, includeRetries: !!process.env.RETRIES }]],
  json: [['json', { outputFile }]],
  ctrf: [['playwright-ctrf-json-reporter', { outputDir: '.', outputFile }]],
};
module.exports = defineConfig({
  testDir: './tests', retries: 1, outputDir: './out', workers: 1,
  projects: [{ name: 'chromium' }, { name: 'firefox' }],
  reporter: reporters[process.env.REPORTER],
});
