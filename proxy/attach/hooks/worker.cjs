"use strict";
// Workers of Playwright Test load this. Before the first test it leads what tests and
// Playwright say to each other through `breadcrumb run`, and tells of each test before its
// first call. What goes wrong here leaves the tests as they are.

const fs = require("node:fs");
const path = require("node:path");

const shared = process.env.BREADCRUMB_TESTS; // the reporter's files of tests
const isWorker = Boolean(shared && process.send); // its threads load this file, too, and make no calls
const { lead } = isWorker ? require("./lead.cjs") : {};
let run; // what the reporter tells of its run
let tell = () => {}; // says which test makes the calls

// What tests start is to load nothing of this.
process.execArgv = process.execArgv.filter((argument, i, all) => argument !== __filename && all[i + 1] !== __filename);

if (isWorker) {
  const send = process.send;
  process.send = function (message, ...rest) {
    try {
      tellTest(message);
    } catch {
      // the calls are of no test that is known
    }
    return send.call(process, message, ...rest);
  };
}

/** Tells of a test that begins or ends (dispatchEvent in packages/playwright/src/common/process.ts). */
function tellTest(message) {
  const event = message?.method === "__dispatch__" ? message.params : undefined;
  if (event?.method !== "testBegin" && event?.method !== "testEnd") return;
  if (!run) {
    run = JSON.parse(fs.readFileSync(shared + ".tests", "utf8"));
    leadCalls();
  }
  const test = run.tests[event.params.testId];
  tell(test ? { ...test, start: event.params.startWallTime, ended: event.method === "testEnd" } : {});
}

/** Leads the calls of this worker. Where its Playwright has another form they stay as they are. */
function leadCalls() {
  try {
    tell = lead(require(run.core), run.way, () => note("breadcrumb run did not answer"));
  } catch (error) {
    note(String(error?.message ?? error).split("\n")[0]);
  }
}

/** Tells the person why tests were not led, where there still is a run. */
function note(why) {
  try {
    fs.writeFileSync(path.join(process.env.BREADCRUMB_RUN, "notes", path.basename(shared)), "Tests of Playwright Test ran without Breadcrumb: " + why, { mode: 0o600 });
  } catch {
    // nobody is there to be told
  }
}
