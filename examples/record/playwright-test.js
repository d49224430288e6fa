// The healing page of the TypeScript tests (see shop/tests/fixtures.ts).
import { relative } from "node:path";
import { act } from "./healer.js";

const actions = ["click", "fill", "check"];
const finders = ["locator", "getByTestId", "getByLabel", "getByRole", "getByPlaceholder"];

/** page, its locators healing on click, fill and check. */
export function heal(page, testInfo) {
  const test = [relative(testInfo.project.testDir, testInfo.file), ...testInfo.titlePath.slice(1)].join(" › ");
  const finder = (api) => (...args) => {
    const where = { runner: "playwright", test: `${test} [${testInfo.project.name}]`, api, site: site(testInfo) };
    return healing(page, page[api](...args), where);
  };
  return new Proxy(page, {
    get: (target, name) => (finders.includes(name) ? finder(name) : bound(target, name)),
  });
}

function healing(page, locator, where) {
  return new Proxy(locator, {
    get: (target, name) =>
      actions.includes(name) ? (...args) => act(page, target, name, args, where) : bound(target, name),
  });
}

const bound = (target, name) => (typeof target[name] === "function" && name !== "constructor" ? target[name].bind(target) : target[name]);

/** The place of the locator call: the first stack frame in the tests' folder. */
function site(testInfo) {
  const root = testInfo.config.rootDir;
  for (const line of new Error().stack.split("\n")) {
    const [, file, row, column] = /([^(\s]+\.ts):(\d+):(\d+)/.exec(line) ?? [];
    if (file?.startsWith(root)) {
      return { file: relative(testInfo.project.testDir.replace(/[/\\]tests$/, ""), file), line: Number(row), column: Number(column) };
    }
  }
  return undefined;
}
