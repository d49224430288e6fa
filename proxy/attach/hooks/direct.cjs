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
  }

  /** Makes a call. Returns whether that is done; else the lane goes on when it is. */
  make(call) {
    const question = this.readings.find(call);
    const reading = question && { question, answered: false, found: false };
    if (!reading || !this.readings.isReadFirst(call)) return this.makeCounted(call, reading);
    const note = (answer) => {
      reading.answer = answer;
      this.noteRead(call, reading, answer);
      return this.leader.open.get(call.id)?.reading === reading ? later : nowhere;
    };
    const goOn = (answer) => {
      if (answer) note(answer);
      if (reading.found) this.makeNow(call, reading);
      else if (!this.makeCounted(call, reading)) return;
      this.lane.goOn();
    };
    this.ask(reading.question, readTime, goOn, note);
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
    const text = JSON.stringify({ ...call, made: true, read: reading?.question.id, within }, keepBytes);
    this.leader.open.set(call.id, { call: { message: call, text }, byWorker: true, reading });
    this.lane.copyText(text);
    this.lane.hand(call, within === undefined ? call : withTimeout(call, within));
    if (reading?.answer) this.leader.toClient.lead(reading.answer, later);
    else if (reading && !this.leader.asked.has(reading.question.id)) this.read(call, reading);
  }

  /** Has the page asked what a call finds. Nobody waits for the answer, unless a message is ahead. */
  read(call, reading) {
    this.leader.ask(reading.question, (answer) => {
      this.noteRead(call, reading, answer);
      return this.leader.isAwaited() ? alone : later;
    });
  }

  /** Has the page asked once more where it told what it shows before the element came, or before an assertion held. */
  readAgain({ call: { message: call }, reading }) {
    if (!reading?.answered || (reading.found && call.method !== "expect")) return undefined;
    const question = this.readings.read(call);
    this.read(call, { question });
    return question.id;
  }

  noteRead(call, reading, answer) {
    reading.answered = true;
    reading.found = this.readings.noteFound(call, answer);
    if (this.closing) process.nextTick(() => this.lane.guard(() => !this.reads() && this.closing?.()));
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
    if (!this.reads()) this.closing();
    return false;
  }

  /** Reports whether a page is asked what a call finds. */
  reads() {
    return [...this.leader.asked.values()].some(({ then, method }) => then && method === this.leader.way.reads);
  }

  /** Has a page asked, and calls then with the answer, or without where there is none in time; then with one that comes later. */
  ask(question, limit, then, late = () => nowhere) {
    let waits = true;
    const end = (answer) => {
      clearTimeout(timer);
      waits = false;
      if (!this.leader.left) then(answer);
    };
    const timer = setTimeout(() => this.lane.guard(end), limit).unref();
    this.leader.ask(question, (answer) => {
      this.leader.asked.delete(question.id);
      if (!waits) return late(answer);
      end(answer);
      return nowhere;
    });
  }

  get lane() {
    return this.leader.toDriver;
  }
}

/** Returns a call with a timeout, where clients write it and drivers look for it: in the parameters, or in the metadata of newer ones. */
function withTimeout({ params, metadata, ...call }, timeout) {
  const inMetadata = metadata?.timeout !== undefined;
  const inParams = params.timeout !== undefined || !inMetadata;
  return { ...call, params: inParams ? { ...params, timeout } : params, metadata: inMetadata ? { ...metadata, timeout } : metadata };
}

module.exports = { DirectCalls };
