"use strict";
// Workers of Playwright Test load this. It waits for Playwright's server before the first
// test, and tells which test the worker runs before the test makes a call. What goes wrong
// here leaves the test as it is: the reporter tells it, too.

const fs = require("node:fs");
const path = require("node:path");

const shared = process.env.BREADCRUMB_TESTS; // the reporter's files of tests
const serverTime = 30_000; // ms, for the server to start
const pause = 5; // ms
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
  if (!tests) waitForServer();
  const file = `${shared}-${process.env.TEST_WORKER_INDEX}.worker.json`;
  tests ??= JSON.parse(fs.readFileSync(shared + ".tests", "utf8"));
  const test = tests[event.params.testId];
  if (!test) return fs.rmSync(file, { force: true });
  fs.writeFileSync(file + ".part", JSON.stringify({ ...test, start: event.params.startWallTime, ended: event.method === "testEnd" }), { mode: 0o600 });
  fs.renameSync(file + ".part", file);
}

/** Waits until Playwright's server listens. Without it the tests run as without Breadcrumb. */
function waitForServer() {
  const id = path.basename(shared);
  const log = path.join(process.env.BREADCRUMB_RUN, "requests", id + ".log");
  const still = new Int32Array(new SharedArrayBuffer(4));
  const end = fs.statSync(log).mtimeMs + serverTime; // is long ago for a later worker
  let printed = fs.readFileSync(log, "utf8");
  for (; !printed.endsWith("\n") && Date.now() < end; printed = fs.readFileSync(log, "utf8")) Atomics.wait(still, 0, 0, pause);
  if (/^Listening on ws:/m.test(printed)) return;
  delete process.env.PW_TEST_CONNECT_WS_ENDPOINT;
  const why = "Playwright's server did not start: " + (printed.split("\n")[0] || "no answer");
  fs.writeFileSync(path.join(process.env.BREADCRUMB_RUN, "notes", id), "Tests of Playwright Test ran without Breadcrumb: " + why, { mode: 0o600 });
}
