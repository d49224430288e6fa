"use strict";
// Workers of Playwright Test load this. It tells which test the worker runs before the test
// makes a call. What goes wrong here leaves the test as it is: the reporter tells it, too.

const fs = require("node:fs");

const shared = process.env.BREADCRUMB_TESTS; // the reporter's files of tests
let tests;

// What tests start is to load nothing of this.
process.execArgv = process.execArgv.filter((argument, i, all) => argument !== __filename && all[i + 1] !== __filename);

if (shared && process.send) {
  const send = process.send;
  process.send = function (message, ...rest) {
    try {
      tellTest(message);
    } catch {
      // the reporter tells it
    }
    return send.call(process, message, ...rest);
  };
}

/** Tells of a test that begins or ends (dispatchEvent in packages/playwright/src/common/process.ts). */
function tellTest(message) {
  const event = message?.method === "__dispatch__" ? message.params : undefined;
  if (event?.method !== "testBegin" && event?.method !== "testEnd") return;
  const file = `${shared}-${process.env.TEST_WORKER_INDEX}.worker.json`;
  tests ??= JSON.parse(fs.readFileSync(shared + ".tests", "utf8"));
  const test = tests[event.params.testId];
  if (!test) return fs.rmSync(file, { force: true });
  fs.writeFileSync(file + ".part", JSON.stringify({ ...test, start: event.params.startWallTime, ended: event.method === "testEnd" }), { mode: 0o600 });
  fs.renameSync(file + ".part", file);
}
