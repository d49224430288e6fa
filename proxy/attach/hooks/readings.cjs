"use strict";

const { randomBytes } = require("node:crypto");

const maxTries = 3; // at a locator that never is exactly one element

const maxFrames = 20; // of a page that is read

const elsewhere = /internal:control=(?!enter-frame)|\*[\w:-]+=/; // in a selector that looks into all frames, or finds by another part
const enterFrame = "internal:control=enter-frame";
const frameTime = 1000; // ms that a page is asked for an element in a frame: Playwright waits for the frame

/**
 * Readings says which calls are made at once, and puts the questions to their pages what they
 * find, for the selector engine of `breadcrumb run` (proxy/reader.go).
 */
class Readings {
  constructor(way) {
    this.way = way;
    this.direct = true; // until something is healed
    this.prefix = "breadcrumb-" + randomBytes(16).toString("hex") + "-";
    this.last = 0;
    this.unready = new Set(); // guids of objects that the engine is not registered with
    this.selectors = false; // it is registered for all contexts at once
    this.attribute = way.testIDAttribute;
    this.tries = new Map(); // by locator and place; -1 where it was read
    this.frames = new Map(); // main frames of frames below them, by guid
    this.apart = new Set(); // main frames of pages with frames that are to be asked themselves
    this.swallowing = new Set(); // selectors whose end takes the question for its own
    this.traced = false; // a trace was begun, which shows timeouts
    this.deadline = Infinity; // of the test, in Unix milliseconds
  }

  /** Begins another test. */
  noteTest({ start, timeout, ended }) {
    this.tries.clear();
    this.deadline = start > 0 && timeout > 0 && !ended ? start + timeout : Infinity;
  }

  /** Notes what a call sets for those behind it. */
  noteCall({ method, params }) {
    if (method === "setTestIdAttributeName") this.noteAttribute(params.testIdAttributeName);
    if (method === "tracingStart") this.traced = true;
  }

  /** Reports whether a call looks for nothing that is learned or healed. */
  isIgnored({ params, metadata }) {
    return params?.selector && (metadata?.internal || params.selector === ":root" || ["hidden", "detached"].includes(params.state));
  }

  /** Reports whether the worker makes a call itself. */
  isDirect({ guid, method, params = {}, metadata }) {
    if (!this.direct || this.unready.size > 0 || !this.way.direct.includes(method) || timeoutOf(params, metadata) === undefined) return false;
    if (!params.selector || this.framesOf(guid).length > maxFrames) return false;
    return !elsewhere.test(params.selector) && !this.swallowing.has(params.selector);
  }

  /** Returns the guids of all frames of a frame's page, as far as they are told, the main one first. */
  framesOf(guid) {
    const main = this.frames.get(guid) ?? guid;
    return [main, ...[...this.frames.keys()].filter((frame) => this.frames.get(frame) === main)];
  }

  /** Reports whether a page is read before a call is made, which acts with the first thing that it asks the page, or has little time. */
  isReadFirst({ method, params, metadata }) {
    const timeout = timeoutOf(params, metadata);
    return method !== "expect" && (this.way.actsAtOnce.includes(method) || (timeout > 0 && timeout <= this.way.shortTimeout));
  }

  /** Reports whether a page is read when a call has succeeded, which changes nothing there. */
  isReadLast(call) {
    return this.way.onlyLook.includes(call.method) && !this.isReadFirst(call);
  }

  /** Returns the question whether a call's element is there, undefined for a call that ends without one. */
  count({ guid, method, params, metadata }) {
    if (method === "expect" || timeoutOf(params, metadata) !== 0 || (this.way.repeatable.includes(method) && !(this.traced && this.way.patience))) return undefined;
    return this.ask(guid, "queryCount", { selector: params.selector });
  }

  /** Returns the ms after which the element of a call without a timeout counts as lost, undefined for one that is made as it is (proxy/unbounded.go). */
  patience({ method, params, metadata }) {
    if (!this.way.patience || this.traced || timeoutOf(params, metadata) !== 0 || !this.way.repeatable.includes(method)) return undefined;
    return Math.max(1, Math.floor(Math.min(this.way.patience, (this.deadline - Date.now()) / 3)));
  }

  /** Reports whether a page is to be asked what a call finds: it did not tell, was not asked too often, and no reading that waits is of the same call. */
  wants(call, waiting = []) {
    const key = keyOf(call);
    const tries = this.tries.get(key) ?? 0;
    return Boolean(this.way.reader) && tries >= 0 && tries < maxTries && !waiting.some((other) => other.key === key);
  }

  /**
   * Returns the questions what a call finds now, and what the other frames of its page show: all
   * frames, where it enters one (locator.StartReading in proxy/reader.go). The first is asked for
   * both, because Playwright loads its scripts into each frame that is asked; the others are for
   * pages that do not tell by it.
   */
  read(call) {
    const { guid, method, params } = call;
    const enters = params.selector.includes(enterFrame);
    const frames = this.framesOf(guid);
    const others = frames.filter((frame) => enters || frame !== guid);
    const main = others.length > 0 && !this.apart.has(frames[0]) ? frames[0] : undefined;
    const n = this.number();
    const selector = (params.strict || method === "expect" ? params.selector : params.selector + " >> nth=0") + " >> " + this.question(n);
    const own = this.ask(guid, this.way.reads, { strict: true }, enters ? frameTime : 0);
    const questions = [own, ...others.map((frame) => this.ask(frame, this.way.reads, { selector: this.question(this.number(), this.testIDAttribute, true), strict: true }))];
    return { key: keyOf(call), questions, n, selector, main, others: frames.length - 1, joins: frames.length === 1 && !enters };
  }

  /** Returns the first question of a reading, which is about other readings too. */
  join({ questions: [own], n, selector, main }, others) {
    const about = [others.length > 0 ? [n, ...others.map((other) => other.n)] : n, this.testIDAttribute, false, ...(main ? [true] : [])];
    const or = [...others.map((other) => other.selector), this.question(...about)].map((next) => "internal:or=" + JSON.stringify(next));
    return { ...own, params: { selector: [selector, ...or].join(" >> "), ...own.params } };
  }

  /**
   * Makes the answer to a question about several readings that of the first one, and returns the
   * answers of the others: undefined for one whose element was not found, none where the page tells nothing.
   */
  takeJoined(others, { result }) {
    const [name, about, elements] = String(result?.value ?? "").split("\n");
    if (name !== this.way.reader || !about) return [];
    const { targets, target, ...page } = JSON.parse(about);
    const textOf = (index) => (index === null ? name + "\n" : [name, JSON.stringify({ target: index, ...page }), elements].join("\n"));
    result.value = textOf(targets[0]);
    return others.map(({ ids: [id] }, i) => (targets[i + 1] === null ? undefined : { id, result: { value: textOf(targets[i + 1]) } }));
  }

  /**
   * Takes what frames show out of the answer to the first question of a reading, and returns it as
   * answers to the other questions; undefined where these are to be asked.
   */
  takeFrames({ ids, main, others }, { result }) {
    const [name, about, elements, ...told] = String(result?.value ?? "").split("\n");
    const questions = ids.slice(1);
    if (name !== this.way.reader || !about) return questions.map((id) => ({ id, error: { error: { name: "Error", message: "nothing was found" } } }));
    const { frames } = JSON.parse(about);
    if (frames === 0) this.apart.add(main);
    if (frames !== others) return undefined;
    result.value = [name, about, elements].join("\n");
    const same = [about, "[]"]; // where a frame is entered, the one that tells is asked, too
    return questions.map((id, i) => ({ id, result: { value: [name, ...(2 * i < told.length ? told.slice(2 * i, 2 * i + 2) : same)].join("\n") } }));
  }

  number() {
    return 2 ** 40 + ++this.last; // no question of Breadcrumb's has such a number
  }

  question(...about) {
    return this.way.reader + "=" + JSON.stringify(about);
  }

  get testIDAttribute() {
    return this.attribute || "data-testid";
  }

  ask(guid, method, params, timeout = 0) {
    return { id: this.prefix + ++this.last, guid, method, params: { ...params, timeout }, metadata: { internal: true, timeout } };
  }

  /** Reports whether an id is of a question of these. */
  asked(id) {
    return typeof id === "string" && id.startsWith(this.prefix);
  }

  /** Notes the answer to what a call finds, and returns whether that is one element. */
  noteFound(call, { error, result }) {
    const key = keyOf(call);
    const [name, ...shown] = String(result?.value ?? "").split("\n", 2);
    if (error && error.error?.name !== "TimeoutError" && JSON.stringify(error).includes(this.way.reader)) this.direct = false;
    if (!error && name !== this.way.reader) this.swallowing.add(call.params.selector);
    const found = name === this.way.reader && Boolean(shown[0]);
    this.tries.set(key, found ? -1 : (this.tries.get(key) ?? 0) + 1);
    return found;
  }

  /** Notes a new object, and returns the call that registers the engine with it, undefined for none. */
  noteNew({ type, guid, initializer }) {
    const attribute = initializer?.options?.testIdAttributeName;
    if (attribute) this.noteAttribute(attribute);
    const parent = initializer?.parentFrame?.guid;
    if (parent) this.frames.set(guid, this.frames.get(parent) ?? parent);
    const registration = this.way.registrations?.[type];
    if (!registration || (this.selectors && type !== "Selectors")) return undefined;
    if (type === "Selectors") this.selectors = true;
    this.unready.add(guid);
    return this.ask(guid, registration.method, registration.params);
  }

  /** Notes that an object is gone. */
  noteGone(guid) {
    this.frames.delete(guid);
    this.apart.delete(guid);
    this.unready.delete(guid);
  }

  /** Notes that the engine was registered with an object, or that it was refused. */
  noteRegistered(guid, error) {
    if (error) this.direct = false;
    this.unready.delete(guid);
  }

  /** Notes the attribute that getByTestId reads. Of several, Breadcrumb knows which is whose. */
  noteAttribute(attribute) {
    if (this.way.testIDAttribute) return;
    if (this.attribute && this.attribute !== attribute) this.direct = false;
    this.attribute = attribute;
  }
}

function keyOf({ params, metadata }) {
  const { file, line, column } = metadata?.location ?? {};
  return JSON.stringify([params.selector, file, line, column]);
}

function timeoutOf(params, metadata) {
  return params.timeout ?? metadata?.timeout;
}

module.exports = { Readings };
