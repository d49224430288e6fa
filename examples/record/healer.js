// Heals locators while the example's tests run. A healthy run (SHOP_RECORD=1)
// learns fingerprints; a later run heals a locator that finds nothing, replays
// the action and writes one breadcrumb.heal/v1 line. Files: SHOP_BASELINE holds
// the fingerprints, SHOP_HEALS is the folder of the events.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, describeAll } from "./fingerprint.js";
import { similarity } from "./similarity.js";

const THRESHOLD = 0.5;
const MARGIN = 0.05;
const round = (x) => Math.round(x * 1000) / 1000;

/**
 * Does action on locator, healing it when it finds nothing. where is
 * {runner, test, api, site}: the event's file name, test identity and place.
 */
export async function act(page, locator, action, args, where) {
  const selector = locator._selector;
  const key = `${where.runner}\n${where.test}\n${selector}`;
  if (process.env.SHOP_RECORD) await learn(key, locator);
  try {
    return await locator[action](...args, { timeout: 2000 });
  } catch (error) {
    if (error.name !== "TimeoutError" || (await locator.count()) > 0) throw error;
    const healed = await heal(page, key, selector, action, where);
    if (!healed) throw error;
    return page.locator(healed)[action](...args);
  }
}

async function learn(key, locator) {
  await locator.waitFor();
  const known = baseline();
  known[key] = await locator.evaluate(describe);
  writeFileSync(process.env.SHOP_BASELINE, JSON.stringify(known));
}

const baseline = () =>
  existsSync(process.env.SHOP_BASELINE) ? JSON.parse(readFileSync(process.env.SHOP_BASELINE, "utf8")) : {};

/** Writes the event; returns the selector of the element found, or undefined. */
async function heal(page, key, selector, action, where) {
  const original = baseline()[key];
  if (!original) throw new Error(`no fingerprint of ${JSON.stringify(key)}: record first`);
  const ranked = (await page.evaluate(describeAll, describe.toString()))
    .map((fingerprint) => ({ fingerprint, score: similarity(original, fingerprint) }))
    .sort((a, b) => b.score - a.score);
  const [best, second] = ranked;
  const reason = refusal(best, second);
  const event = {
    schema: "breadcrumb.heal/v1", test_id: where.test, locator: selector, api: where.api, action,
    confidence: round(best?.score ?? 0), runner_up: round(second?.score ?? 0),
    outcome: reason ? "refused" : "healed",
    ...(reason ? { reason } : { healed_locator: selectorOf(best.fingerprint) }),
    original: { ...original, locator: selector, test_id: where.test },
    ...(reason ? {} : { healed: best.fingerprint }),
    site: where.site, page_url: new URL(page.url()).pathname, timestamp: Date.now() / 1000,
  };
  appendFileSync(join(process.env.SHOP_HEALS, `${where.runner}.ndjson`), JSON.stringify(event) + "\n");
  return event.healed_locator;
}

function refusal(best, second) {
  if (!best) return "no-candidates";
  if (best.score < THRESHOLD) return "below-threshold";
  if (second && best.score - second.score < MARGIN) return "ambiguous";
  return undefined;
}

function selectorOf(fingerprint) {
  const attribute = (name) => fingerprint.attributes.find(([n]) => n === name)?.[1];
  for (const name of ["data-testid", "id", "name"]) {
    if (attribute(name)) return `[${name}="${attribute(name)}"]`;
  }
  return fingerprint.tag;
}
