"use strict";

const { ahead, alone, keepBytes, later, nowhere } = require("./lane.cjs");

const readTime = 500; // ms that a call waits for its page to tell what it shows
const countTime = 100; // ms that a page may take to count: one with an open dialog does not, until a later call closes that
const closeTime = 1000; // ms that pages stay open for what they are asked
const idleTime = 2; // ms that the question about a call that only looked waits for the next call, to be asked with it
const joinTime = 50; // ms that it waits in all, while the next calls only look too
const maxWaiting = 10; // calls that one question is about

/**
 * DirectCalls makes calls that find their element, has the page asked what they find, and
 * tells `breadcrumb run` of both. The lane to Playwright waits where a call does.
 */
class DirectCalls {
  constructor(leader) {
    this.leader = leader;
    this.readings = leader.readings;
    this.reads = new Set(); // readings that are not answered yet
    this.waiting = []; // those of them that wait for the next call, and are not asked yet
  }

  /** Makes a call. Returns whether that is done; else the lane goes on when it is. */
  make(call) {
    if (this.readings.isReadLast(call)) {
      if (this.waiting.length > 0) this.waitOn(joinTime);
      return this.makeCounted(call);
    }
    if (!this.readings.wants(call)) {
      this.readWaiting();
      return this.makeCounted(call);
    }
    const reading = new Reading(call, this.readings.read(call));
    if (!this.readings.isReadFirst(call)) return this.makeCounted(call, reading);
    let waits = true;
    const goOn = () => {
      clearTimeout(timer);
      if (!waits || this.leader.left) return;
      waits = false;
      if (reading.found) this.makeNow(call, reading);
      else if (!this.makeCounted(call, reading)) return;
      this.lane.goOn();
    };
    const timer = setTimeout(() => this.lane.guard(goOn), readTime).unref();
    this.read(reading, goOn);
    return false;
  }

  /** Makes a call, where it has no timeout when its element is counted. Where there is none it goes ahead. */
  makeCounted(call, reading) {
    const count = this.readings.count(call);
    if (!count) {
      this.makeNow(call, reading);
      return true;
    }
    this.ask(count, countTime, (answer) => {
      if (answer?.result?.value > 0) {
        this.makeNow(call, reading);
        return this.lane.goOn();
      }
      this.leader.asks = true;
      this.lane.lead(call, ahead);
    });
    return false;
  }

  /** Makes a call, one that may be made twice with a timeout, and tells of it. */
  makeNow(call, reading) {
    const within = this.readings.patience(call);
    const text = JSON.stringify({ ...call, made: true, read: reading?.ids, within }, keepBytes);
    this.leader.open.set(call.id, { call: { message: call, text }, byWorker: true, reading });
    this.lane.copyText(text);
    this.lane.hand(call, within === undefined ? call : withTimeout(call, within));
    if (!reading) return;
    reading.told = true;
    for (const answer of reading.answers) this.tellOf(reading, answer);
    if (!reading.asked) this.read(reading);
  }

  /** Has the pages asked what a call finds, with the calls that wait for that, and calls then. Nobody else waits for the answers. */
  read(reading, then = () => {}) {
    const others = reading.questions.slice(1);
    const joined = this.takeWaiting(reading);
    const askOthers = () => others.forEach((question) => this.leader.ask(question, (answer) => this.tellOf(reading, answer)));
    reading.asked = true;
    this.reads.add(reading);
    this.leader.ask(this.readings.join(reading, joined), (answer) => {
      if (joined.length > 0) this.noteJoined(joined, this.readings.takeJoined(joined, answer));
      const frames = reading.main ? this.readings.takeFrames(reading, answer) : [];
      this.noteRead(reading, answer);
      then();
      if (frames) frames.forEach((told) => this.tellOf(reading, told));
      else askOthers();
      return this.tellOf(reading, answer);
    });
    if (!reading.main) askOthers();
  }

  /** Has the page asked for a call that has succeeded, together with the next one where that comes soon. */
  readLater(reading) {
    this.reads.add(reading);
    this.waiting.push(reading);
    if (this.waiting.length === 1) this.waitsUntil = performance.now() + joinTime;
    if (this.waiting.length < maxWaiting) this.waitOn(idleTime);
    else this.readWaiting();
  }

  /** Waits for the next call, at most so many ms. */
  waitOn(limit) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.lane.guard(() => this.readWaiting()), Math.min(limit, this.waitsUntil - performance.now())).unref();
  }

  /** Has the pages asked for all calls that wait for that. */
  readWaiting() {
    while (this.waiting.length > 0 && !this.leader.left) this.read(this.waiting.pop());
  }

  /** Takes those that wait and find their elements in the same document. */
  takeWaiting(reading) {
    const joins = (other) => reading.joins && other.joins && other.call.guid === reading.call.guid;
    const joined = this.waiting.filter(joins);
    this.waiting = this.waiting.filter((other) => !joins(other));
    return joined;
  }

  /** Notes what was told of others by one answer. Those that it tells nothing of are asked themselves. */
  noteJoined(joined, answers) {
    joined.forEach((reading, i) => {
      if (!answers[i]) return this.read(reading);
      this.noteRead(reading, answers[i]);
      this.tellOf(reading, answers[i]);
    });
  }

  /** Tells Breadcrumb an answer, when it knows of the question; at once where a message is ahead. */
  tellOf(reading, answer) {
    if (reading.told) this.leader.toClient.lead(answer, this.leader.isAwaited() ? alone : later);
    else reading.answers.push(answer);
    this.leader.asked.delete(answer.id);
    return nowhere;
  }

  /**
   * Has the page asked for a call that has succeeded: one that only looks, and once more where it
   * told what it shows before the element came. Returns the ids of the questions, undefined for none.
   */
  readBehind({ call: { message: call }, reading }) {
    const last = this.readings.isReadLast(call);
    if (last ? !this.readings.wants(call, this.waiting) : !reading?.answered || reading.found) return undefined;
    const behind = new Reading(call, this.readings.read(call));
    behind.told = true;
    if (last) this.readLater(behind);
    else this.read(behind);
    return behind.ids;
  }

  noteRead(reading, answer) {
    reading.answered = true;
    reading.found = this.readings.noteFound(reading.call, answer);
    this.reads.delete(reading);
    if (this.closing) process.nextTick(() => this.lane.guard(() => this.reads.size === 0 && this.closing?.()));
  }

  /** Closes something when the pages have told what calls found there, or at last. The lane goes on then. */
  close(call) {
    this.closing = () => {
      clearTimeout(timer);
      this.closing = undefined;
      if (this.leader.left) return;
      this.lane.copy(call);
      if (!this.leader.keepsBrowser(call)) this.leader.flush(); // the process may end with it
      this.lane.hand(call);
      this.lane.goOn();
    };
    const timer = setTimeout(() => this.lane.guard(() => this.closing?.()), closeTime).unref();
    this.readWaiting();
    if (this.reads.size === 0) this.closing();
    return false;
  }

  /** Has a page asked, and calls then with the answer, or without where there is none in time. */
  ask(question, limit, then) {
    let waits = true;
    const end = (answer) => {
      clearTimeout(timer);
      if (waits && !this.leader.left) then(answer);
      waits = false;
    };
    const timer = setTimeout(() => this.lane.guard(end), limit).unref();
    this.leader.ask(question, (answer) => {
      this.leader.asked.delete(question.id);
      end(answer);
      return nowhere;
    });
  }

  get lane() {
    return this.leader.toDriver;
  }
}

/** Reading is what pages are asked for a call. */
class Reading {
  constructor(call, { key, questions, n, selector, main, others, joins }) {
    this.call = call;
    this.key = key; // of what the call looks for, and where it stands
    this.questions = questions; // what it finds, then what frames show
    this.n = n; // number of the first
    this.selector = selector; // has the page note for it what the call finds
    this.main = main; // frame of the page, where the first question asks for both
    this.others = others; // how many frames it has beside the one that tells
    this.joins = joins; // it can be asked together with others
    this.ids = questions.map(({ id }) => id);
    this.asked = false;
    this.answered = false; // the first is
    this.found = false; // one element
    this.told = false; // Breadcrumb knows of the questions
    this.answers = []; // that came before that
  }
}

/** Returns a call with a timeout, where clients write it and drivers look for it: in the parameters, or in the metadata of newer ones. */
function withTimeout({ params, metadata, ...call }, timeout) {
  const inMetadata = metadata?.timeout !== undefined;
  const inParams = params.timeout !== undefined || !inMetadata;
  return { ...call, params: inParams ? { ...params, timeout } : params, metadata: inMetadata ? { ...metadata, timeout } : metadata };
}

module.exports = { DirectCalls };
