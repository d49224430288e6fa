"use strict";

const { ahead, alone, keepBytes, later, nowhere } = require("./lane.cjs");

const readTime = 500; // ms that a call waits for its page to tell what it shows
const countTime = 100; // ms that a page may take to count: one with an open dialog does not, until a later call closes that
const closeTime = 1000; // ms that pages stay open for what they are asked

/**
 * DirectCalls makes calls that find their element, has the page asked what they find, and
 * tells `breadcrumb run` of both. The lane to Playwright waits where a call does.
 */
class DirectCalls {
  constructor(leader) {
    this.leader = leader;
    this.readings = leader.readings;
    this.reads = new Set(); // what pages are asked that calls find
  }

  /** Makes a call. Returns whether that is done; else the lane goes on when it is. */
  make(call) {
    const asked = this.readings.find(call);
    const reading = asked && new Reading(call, asked);
    if (!reading || !this.readings.isReadFirst(call)) return this.makeCounted(call, reading);
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

  /** Has the pages asked what a call finds, and calls then with that. Nobody else waits for the answers. */
  read(reading, then = () => {}) {
    const [own, ...others] = reading.questions;
    const askOthers = () => others.forEach((question) => this.leader.ask(question, (answer) => this.tellOf(reading, answer)));
    reading.asked = true;
    this.reads.add(reading);
    this.leader.ask(own, (answer) => {
      const frames = reading.main ? this.readings.takeFrames(reading, answer) : [];
      this.noteRead(reading, answer);
      then();
      if (frames) frames.forEach((told) => this.tellOf(reading, told));
      else askOthers();
      return this.tellOf(reading, answer);
    });
    if (!reading.main) askOthers();
  }

  /** Tells Breadcrumb an answer, when it knows of the question; at once where a message is ahead. */
  tellOf(reading, answer) {
    if (reading.told) this.leader.toClient.lead(answer, this.leader.isAwaited() ? alone : later);
    else reading.answers.push(answer);
    this.leader.asked.delete(answer.id);
    return nowhere;
  }

  /** Has the page asked once more where it told what it shows before the element came, or before an assertion held. */
  readAgain({ call: { message: call }, reading }) {
    if (!reading?.answered || (reading.found && call.method !== "expect")) return undefined;
    const again = new Reading(call, this.readings.read(call));
    again.told = true;
    this.read(again);
    return again.ids;
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
  constructor(call, { questions, main, others }) {
    this.call = call;
    this.questions = questions; // what it finds, then what frames show
    this.main = main; // frame of the page, where the first question asks for both
    this.others = others; // how many frames it has beside the one that tells
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
