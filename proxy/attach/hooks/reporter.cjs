"use strict";
// Playwright Test loads this reporter in the process that starts the workers. It leads the
// workers' browsers through `breadcrumb run`, and tells which test each worker runs. What
// goes wrong here is told at the end of the run and leaves the tests as they are.

const { spawn } = require("node:child_process");
const { randomBytes } = require("node:crypto");
const fs = require("node:fs");
const { createRequire } = require("node:module");
const path = require("node:path");

const shared = process.env.BREADCRUMB_RUN;
const endpointVariable = "PW_TEST_CONNECT_WS_ENDPOINT";
const answerTime = 10_000; // ms, for `breadcrumb run` to answer
const pause = 5; // ms

class Reporter {
  constructor(options) {
    this.id = `${process.pid}-${randomBytes(8).toString("hex")}`;
    this.requests = path.join(shared, "requests", this.id);
    if (options?._mode === undefined || options._mode === "test") this.guard(() => this.startServer());
  }

  printsToStdio() {
    return false;
  }

  onBegin(config, suite) {
    this.suite = suite;
    this.guard(() => {
      if (!this.server) return;
      if (suite.allTests().length === 0) return this.stopServer();
      if (process.env[endpointVariable] || connectsItself(config, suite)) {
        this.stopServer();
        return this.note("The tests' own connectOptions stay as they are: these tests ran without Breadcrumb.");
      }
      process.env[endpointVariable] = this.readAddress();
      this.leadWorkers(suite);
    });
  }

  onTestBegin(test, result) {
    this.guard(() => this.tellTest(test, result, false));
  }

  onTestEnd(test, result) {
    this.guard(() => this.tellTest(test, result, true));
    this.guard(() => this.tellResult(test, result));
  }

  onEnd() {
    this.guard(() => this.tellHeld());
  }

  onExit() {
    this.guard(() => this.stopServer());
  }

  /**
   * Starts the server of the project's own Playwright, and asks `breadcrumb run` for an
   * address in front of it. The server ends with its standard input. Workers wait for it:
   * both start at the same time.
   */
  startServer() {
    const core = path.dirname(findCore());
    const { version } = require(path.join(core, "package.json"));
    const [major, minor] = version.split(".").map(Number);
    if (major === 1 && minor < 41) throw new Error(`it has to be version 1.41 or newer, and is ${version}`); // whose server listens on the loopback alone
    const keepsOptions = major > 1 || minor >= 60; // such as args and executablePath
    const args = ["--require", path.join(__dirname, "end_with_stdin.cjs"), path.join(core, "cli.js"), "run-server", "--host", "127.0.0.1", "--port", "0", "--path", "/" + randomBytes(16).toString("hex")];
    const log = fs.openSync(this.requests + ".log", "w", 0o600);
    writeWhole(this.requests + ".request", "");
    this.server = spawn(process.execPath, keepsOptions ? [...args, "--unsafe"] : args, {
      env: keepsOptions ? process.env : { ...process.env, PWTEST_UNDER_TEST: "1" },
      stdio: ["pipe", log, "inherit"],
      detached: process.platform !== "win32", // an interrupt is for the runner, which ends its workers first
      windowsHide: true,
    });
    fs.closeSync(log);
    for (const end of ["error", "exit"]) this.server.on(end, () => this.tellServerEnded());
    this.server.stdin.on("error", () => {});
    this.server.stdin.unref();
    this.server.unref();
  }

  /** Ends the wait of workers for a server that did not start. */
  tellServerEnded() {
    try {
      fs.appendFileSync(this.requests + ".log", "The server has ended.\n");
    } catch {
      // the run is over
    }
  }

  stopServer() {
    this.server?.stdin.destroy();
    this.server = undefined;
  }

  /** Returns the address that leads to the server through `breadcrumb run`. */
  readAddress() {
    const answer = waitFor(answerTime, () => fs.existsSync(this.requests + ".answer") && fs.readFileSync(this.requests + ".answer", "utf8"));
    if (!answer) throw new Error("breadcrumb run did not answer");
    const { address, error } = JSON.parse(answer);
    if (!address) throw new Error(error);
    return address;
  }

  /**
   * Has the workers tell which test they run: this process hears of it too late on a busy
   * machine. Where a worker does not, what this process tells counts.
   */
  leadWorkers(suite) {
    const tests = path.join(shared, "tests", this.id);
    writeWhole(tests + ".tests", JSON.stringify(Object.fromEntries(suite.allTests().map((test) => [test.id, describe(test)]))));
    process.env.BREADCRUMB_TESTS = tests;
    process.execArgv.push("--require", path.join(__dirname, "worker.cjs")); // which fork takes over
  }

  tellTest(test, result, ended) {
    writeWhole(path.join(shared, "tests", `${this.id}-${result.workerIndex}.json`), JSON.stringify({ ...describe(test), retry: result.retry, start: result.startTime.getTime(), ended }));
  }

  tellResult(test, result) {
    const passed = result.status === "passed" && test.expectedStatus === "passed";
    const failed = result.status !== "skipped" && result.status !== test.expectedStatus;
    const told = { ...describe(test), ended: true, passed, failed, took: Math.round(result.duration), worker: String(result.workerIndex) };
    fs.appendFileSync(path.join(shared, "results", this.id + ".ndjson"), JSON.stringify(told) + "\n", { mode: 0o600 });
  }

  /**
   * Tells of the tests that did not run because another one failed: of a project that depends
   * on its, of its serial group, or behind the last failure that the run may have.
   */
  tellHeld() {
    if (!this.server) return;
    const isHeld = (test) => test.expectedStatus !== "skipped" && test.results.every((result) => result.status === "skipped");
    const held = this.suite.allTests().filter(isHeld).map((test) => JSON.stringify({ ...describe(test), held: true }) + "\n");
    fs.appendFileSync(path.join(shared, "results", this.id + ".ndjson"), held.join(""), { mode: 0o600 });
  }

  guard(action) {
    try {
      action();
    } catch (error) {
      this.stopServer();
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

/** Returns the package.json of the playwright-core that runs these tests. */
function findCore() {
  const program = createRequire(fs.realpathSync(process.argv[1]));
  const runner = createRequire(program.resolve("playwright/package.json"));
  return runner.resolve("playwright-core/package.json");
}

/** Reports whether a project, a file or a fixture of the tests has connectOptions of its own. */
function connectsItself(config, suite) {
  if (config.projects.some((project) => project.use?.connectOptions)) return true;
  const used = (suite) => (suite._use ?? []).some((use) => use.fixtures?.connectOptions) || suite.suites.some(used);
  if (used(suite)) return true;
  const extended = (test) => (test._testType?.fixtures ?? []).some((use) =>
    use.fixtures?.connectOptions && !/[\\/]node_modules[\\/]playwright[\\/]/.test(use.location?.file ?? "node_modules/playwright/"));
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
