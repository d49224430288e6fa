"use strict";
// Playwright Test loads this reporter in the process that starts the workers. It has the
// workers lead their calls through `breadcrumb run`, and tells how tests ended.
// What goes wrong here is told at the end of the run and leaves the tests as they are.

const { randomBytes } = require("node:crypto");
const fs = require("node:fs");
const { createRequire } = require("node:module");
const path = require("node:path");

const shared = process.env.BREADCRUMB_RUN;
const answerTime = 10_000; // ms, for `breadcrumb run` to answer
const pause = 5; // ms

class Reporter {
  constructor(options) {
    this.id = `${process.pid}-${randomBytes(8).toString("hex")}`;
    this.request = path.join(shared, "requests", this.id);
    this.leads = options?._mode === undefined || options._mode === "test";
    if (this.leads) this.guard(() => writeWhole(this.request + ".request", ""));
  }

  printsToStdio() {
    return false;
  }

  onBegin(config, suite) {
    this.suite = suite;
    this.guard(() => {
      if (!this.leads || suite.allTests().length === 0) return;
      if (process.env.PW_TEST_CONNECT_WS_ENDPOINT || connectsItself(config, suite))
        this.note("The tests' own connectOptions stay as they are: these tests ran without Breadcrumb.");
      this.leadWorkers(suite);
    });
  }

  onTestEnd(test, result) {
    this.guard(() => this.tellResult(test, result));
  }

  onEnd() {
    this.guard(() => this.tellHeld());
  }

  /** Returns how a worker's calls come to `breadcrumb run`. */
  readWay() {
    const answer = waitFor(answerTime, () => fs.existsSync(this.request + ".answer") && fs.readFileSync(this.request + ".answer", "utf8"));
    if (!answer) throw new Error("breadcrumb run did not answer");
    const { way, error } = JSON.parse(answer);
    if (!way) throw new Error(error);
    return way;
  }

  /**
   * Has the workers lead their calls, and tell which test they run: this process hears of it
   * too late on a busy machine.
   */
  leadWorkers(suite) {
    const shares = path.join(shared, "tests", this.id);
    const tests = Object.fromEntries(suite.allTests().map((test) => [test.id, describe(test)]));
    writeWhole(shares + ".tests", JSON.stringify({ core: findCore(), way: this.readWay(), tests }));
    process.env.BREADCRUMB_TESTS = shares;
    process.execArgv.push("--require", path.join(__dirname, "worker.cjs")); // which fork takes over
  }

  tellResult(test, result) {
    const passed = result.status === "passed" && test.expectedStatus === "passed";
    const failed = result.status !== "skipped" && result.status !== test.expectedStatus;
    const told = { ...describe(test), ended: true, passed, failed, took: Math.round(result.duration), worker: String(result.workerIndex) };
    this.addResults(JSON.stringify(told) + "\n");
  }

  /**
   * Tells of the tests that did not run because another one failed: of a project that depends
   * on its, of its serial group, or behind the last failure that the run may have.
   */
  tellHeld() {
    if (!this.leads) return;
    const isHeld = (test) => test.expectedStatus !== "skipped" && test.results.every((result) => result.status === "skipped");
    const held = this.suite.allTests().filter(isHeld).map((test) => JSON.stringify({ ...describe(test), held: true }) + "\n");
    this.addResults(held.join(""));
  }

  addResults(lines) {
    this.results ??= fs.openSync(path.join(shared, "results", this.id + ".ndjson"), "a", 0o600);
    fs.writeSync(this.results, lines);
  }

  guard(action) {
    try {
      action();
    } catch (error) {
      this.leads = false;
      this.guardNote(error);
    }
  }

  guardNote(error) {
    try {
      this.note("Tests of Playwright Test ran without Breadcrumb: " + String(error?.message ?? error).split("\n")[0]);
    } catch {
      // the shared folder is gone, and nobody is there to be told
    }
  }

  note(text) {
    fs.writeFileSync(path.join(shared, "notes", this.id), text, { mode: 0o600 });
  }
}

function describe(test) {
  const [, project, file, ...titles] = test.titlePath();
  return {
    runner: "playwright", project, file, titles, timeout: test.timeout,
    path: test.location.file, line: test.location.line, column: test.location.column,
  };
}

/** Returns the folder of the playwright-core that runs these tests. */
function findCore() {
  let runner = createRequire(fs.realpathSync(process.argv[1]));
  try {
    runner = createRequire(runner.resolve("playwright/package.json"));
  } catch {
    // before version 1.38 the runner is a part of @playwright/test
  }
  return path.dirname(runner.resolve("playwright-core/package.json"));
}

/** Reports whether a project, a file or a fixture of the tests has connectOptions of its own. */
function connectsItself(config, suite) {
  if (config.projects.some((project) => project.use?.connectOptions)) return true;
  const used = (suite) => (suite._use ?? []).some((use) => use.fixtures?.connectOptions) || suite.suites.some(used);
  if (used(suite)) return true;
  const extended = (test) => (test._testType?.fixtures ?? []).some((use) =>
    use.fixtures?.connectOptions && !/[\\/]node_modules[\\/](?:playwright|@playwright[\\/]test)[\\/]/.test(use.location?.file ?? "node_modules/playwright/"));
  return suite.allTests().some(extended);
}

function waitFor(limit, look) {
  const still = new Int32Array(new SharedArrayBuffer(4));
  for (const end = Date.now() + limit; Date.now() < end; Atomics.wait(still, 0, 0, pause)) {
    const found = look();
    if (found) return found;
  }
  return undefined;
}

/** Writes a file that nobody sees half written. */
function writeWhole(name, text) {
  fs.writeFileSync(name + ".part", text, { mode: 0o600 });
  fs.renameSync(name + ".part", name);
}

module.exports = Reporter;
