// Answers what Playwright's own parsers and printers make of selectors and calls: reads
// {selectors, calls: [{language, code}]} as JSON, writes one answer each.
//   node ask.mjs playwright-1.65 <question.json >answer.json
import { createRequire } from "node:module";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const folder = dirname(require.resolve(`${process.argv[2]}/package.json`));
const load = (file) => require(join(folder, "lib/utils/isomorphic", file));
const playwright = existsSync(join(folder, "lib/coreBundle.js"))
  ? require(join(folder, "lib/coreBundle.js")).iso
  : { ...load("selectorParser.js"), ...load("locatorGenerators.js"), ...load("locatorParser.js") };

// The matchers of texts are in the part of Playwright that runs in the page
// (createTextMatcher in packages/injected/src/injectedScript.ts).
function text(body, internal) {
  if (body[0] === "/" && body.lastIndexOf("/") > 0) return ["regexp", plain(body)];
  const quoted = (s, q) => s.length > 1 && s[0] === q && s.at(-1) === q;
  if (!internal) {
    if (quoted(body, '"') || quoted(body, "'")) return ["node", body.slice(1, -1).replace(/\\(.)/gs, "$1")];
    return ["loose", body.trim()];
  }
  if (quoted(body, '"')) return ["exact", JSON.parse(body)];
  if (quoted(body.slice(0, -1), '"') && body.at(-1) === "i") return ["loose", JSON.parse(body.slice(0, -1))];
  if (quoted(body.slice(0, -1), '"') && body.at(-1) === "s") return ["exact", JSON.parse(body.slice(0, -1))];
  if (quoted(body, "'")) throw new Error("no JSON");
  return ["loose", body];
}

// Slashes, quotes and angle brackets are the same with and without a backslash, as is the order
// of the flags.
function plain(body) {
  new RegExp(body.slice(1, body.lastIndexOf("/")), body.slice(body.lastIndexOf("/") + 1)); // throws for what is none
  const end = body.lastIndexOf("/");
  const source = body.slice(1, end).replace(/\\(.)/gs, (all, sign) => "/\"'`>".includes(sign) ? sign : all);
  return `/${source}/${[...new Set(body.slice(end + 1))].sort().join("")}`;
}

const strictness = ({ value, caseSensitive }, loose) =>
  value instanceof RegExp ? ["regexp", plain(String(value))] : [caseSensitive ? "exact" : loose, String(value)];

function role(body, loose) {
  const { name, attributes } = playwright.parseAttributeSelector(body, true);
  const names = attributes.filter((a) => a.name === "name" && a.op === "=");
  const rest = attributes.filter((a) => a.name !== "name" || a.op !== "=").map((a) => `${a.name}${a.op}${a.value instanceof RegExp ? plain(String(a.value)) : a.value}`);
  if (names.length > 1) throw new Error("two names");
  return ["role", name, ...(names.length ? strictness(names[0], loose) : ["any", ""]), rest.sort().join(" ")];
}

function attribute(kind, body) {
  const { name, attributes } = playwright.parseAttributeSelector(body, true);
  if (name || attributes.length !== 1) throw new Error("not one attribute");
  return [kind, attributes[0].name, ...strictness(attributes[0], "loose")];
}

function meaning({ name, body, source }) {
  switch (name) {
    case "css": return [name, source.trim()];
    case "xpath": return [name, source];
    case "id": case "nth": case "visible": return [name, source];
    case "data-testid": case "data-test-id": case "data-test": return ["test id", name, "exact", source];
    case "text": return ["text", ...text(source, false)];
    case "internal:text": case "internal:label": case "internal:has-text": case "internal:has-not-text":
      return [name.slice("internal:".length), ...text(source, true)];
    case "role": return role(source, "whole");
    case "internal:role": return role(source, "loose");
    case "internal:testid": return attribute("test id", source);
    case "internal:attr": return attribute("attribute", source);
    case "internal:control": return ["frame", source];
    case "internal:has": case "internal:has-not": case "internal:and": case "internal:or":
      return [name.slice("internal:".length), JSON.stringify(body.parsed.parts.map(meaning))];
  }
  return ["other", name, source];
}

function parse(selector) {
  try {
    const parsed = playwright.parseSelector(selector);
    return { parts: parsed.capture === undefined ? parsed.parts.map(meaning) : [["other", "capture", selector]] };
  } catch (error) {
    return { error: error.message };
  }
}

const read = playwright.unsafeLocatorOrSelectorAsSelector ?? playwright.locatorOrSelectorAsSelector;

// Older versions print some selectors as code that they read as something else.
function isTrue(selector, language, code) {
  try {
    const again = read(language, code, "data-testid");
    return JSON.stringify(playwright.parseSelector(again.selector ?? again).parts.map(meaning)) ===
      JSON.stringify(playwright.parseSelector(selector).parts.map(meaning));
  } catch {
    return false;
  }
}

const languages = ["javascript", "python", "java", "csharp"];

function print(selector) {
  try {
    return Object.fromEntries(languages.map((language) => [language, playwright.asLocators(language, selector, false, 2).filter((code) => isTrue(selector, language, code))]));
  } catch (error) {
    return {};
  }
}

const question = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify({
  selectors: question.selectors.map((selector) => ({ ...parse(selector), printed: print(selector) })),
  calls: question.calls.map(({ language, code }) => {
    try {
      const found = read(language, code, "data-testid");
      return parse(found.selector ?? found);
    } catch (error) {
      return { error: error.message };
    }
  }),
}));
