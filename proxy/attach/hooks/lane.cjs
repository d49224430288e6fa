"use strict";

const { randomBytes } = require("node:crypto");

// How a message goes on.
const past = 0; // past Breadcrumb
const copied = 1; // past it, which is told of it
const direct = 2; // made by the worker itself (direct.cjs)
const alone = 3; // to it alone
const later = 4; // to it alone, which does not wait for it
const nowhere = 5;
const ahead = 6; // through it, ahead of all that is said behind it

const answerTime = 20_000; // ms, after which Breadcrumb is taken to be gone
const laterTime = 1000; // ms that messages may wait for what is written next: each write costs
const laterSize = 2 ** 20; // characters that may wait

const bufferKey = "breadcrumb-" + randomBytes(16).toString("hex"); // of the bytes in a message

/** Lane is one direction of what tests and Playwright say, in its order. */
class Lane {
  constructor(leader, part, deliver) {
    this.leader = leader;
    this.part = part; // "call" or "answer"
    this.deliver = deliver;
    this.waiting = []; // behind what is ahead
    this.ahead = undefined; // has a marker behind it that comes back unread
    this.marker = "breadcrumb-" + randomBytes(16).toString("hex");
    this.unwritten = []; // frames
    this.size = 0; // of them, in characters
    this.written = 0; // messages, with those unwritten
    this.copied = 0; // the last of them that was a copy
    this.place = 0; // of the other lane's messages, that the last one was behind
  }

  connect(to, from, introduction) {
    this.to = to;
    to.write(frame(JSON.stringify(introduction)));
    readFrames(from, (text) => this.guard(() => this.receive(text)));
  }

  /** Takes a message of who speaks. */
  take(message) {
    if (this.leader.left) return this.leader.passAlone(message, this);
    this.waiting.push(message);
    this.guard(() => this.pass());
  }

  /** Passes on what waits, up to a message that goes ahead. */
  pass() {
    while (!this.ahead && this.waiting.length > 0) {
      const message = this.waiting.shift();
      this.ahead = { message };
      const way = this.leader.follow(message, this.part);
      if (way === direct) {
        if (!this.leader.makeDirect(message)) return;
      } else {
        if (way !== past && way !== nowhere) this.lead(message, way);
        if (way === ahead) return;
        if (way === past || way === copied) this.hand(message);
      }
      this.ahead = undefined;
    }
  }

  /** Goes on behind a message that was ahead. */
  goOn() {
    clearTimeout(this.timer);
    this.ahead = undefined;
    this.pass();
  }

  lead(message, way) {
    if (!this.to) this.leader.connect();
    if (way === copied) {
      this.copy(this.leader.shorten(message));
      return this.leader.tellSoon(message);
    }
    const sent = { message, text: JSON.stringify(message, keepBytes) };
    sent.handed = this.leader.keep(this.part, sent); // what is Breadcrumb's own is nobody else's
    if (way === alone) return this.write(sent.text);
    if (way === later) return this.writeLater(sent.text);
    this.ahead = sent;
    sent.marker = `{"method":"${this.marker}","params":${this.written}}`;
    this.write(sent.text, sent.marker);
    this.timer = setTimeout(() => this.leader.leave(), answerTime).unref();
  }

  /** Tells Breadcrumb of a message that goes past it. */
  copy(message) {
    this.copyText(JSON.stringify(message));
    this.leader.noteCopied(message);
  }

  copyText(text) {
    this.writeLater("copy " + text);
    this.copied = this.written;
  }

  /** Writes a message with those behind it. */
  writeLater(text) {
    this.add(text);
    if (this.size > laterSize) return this.leader.flush();
    this.laterTimer ??= setTimeout(() => this.leader.flush(), laterTime).unref();
  }

  /** Tells Breadcrumb which test makes the calls from now on. */
  tellTest(test) {
    this.unwritten.push("test " + JSON.stringify(test));
  }

  /** Writes messages behind those that wait. */
  write(...texts) {
    for (const text of texts) this.add(text);
    this.leader.flush();
  }

  /**
   * Adds a message to those that wait, and before it how much of the other lane Breadcrumb
   * has to know: a call comes behind all answers before it, and an answer behind its call.
   */
  add(text) {
    const place = this.part === "call" ? this.leader.toClient.written : this.leader.toDriver.copied;
    if (place > this.place) this.unwritten.push("after " + place);
    this.place = place;
    this.unwritten.push(text);
    this.size += text.length;
    this.written++;
  }

  flush() {
    clearTimeout(this.laterTimer);
    this.laterTimer = undefined;
    const all = this.unwritten;
    this.unwritten = [];
    this.size = 0;
    if (all.length > 0 && !this.leader.left) this.to.write(Buffer.concat(all.map(frame)));
  }

  /** Takes what comes back. */
  receive(text) {
    if (this.leader.left) return;
    if (text === this.ahead?.marker) {
      this.goOn();
    } else if (text === "healed") {
      this.leader.readings.direct = false; // Breadcrumb tries the healed element first
    } else {
      const message = text === this.ahead?.text ? this.ahead.message : this.leader.find(this.part, text);
      if (!this.leader.readings.asked(message.id)) this.hand(message); // an answer that Breadcrumb did not want
    }
  }

  /** Hands a message on, or another one in its place. */
  hand(message, other = message) {
    if (this.ahead?.message === message) this.ahead.handed = true;
    this.deliver(other);
  }

  /** Hands over what is left, when Breadcrumb is. */
  end() {
    const left = this.ahead && !this.ahead.handed ? [this.ahead.message, ...this.waiting] : this.waiting;
    clearTimeout(this.timer);
    this.ahead = this.waiting = undefined;
    for (const message of left) this.leader.passAlone(message, this);
    this.to?.destroy();
  }

  guard(action) {
    try {
      action();
    } catch {
      this.leader.leave();
    }
  }
}

/** Returns a value of a message for JSON, with its bytes where it has some. */
function keepBytes(key, value) {
  if (value === null || typeof value !== "object" || Array.isArray(value) || !Object.values(value).some(Buffer.isBuffer)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, Buffer.isBuffer(field) ? { [bufferKey]: field.toString("base64") } : field]));
}

/** Returns the message of a text that keepBytes was used for. */
function parse(text) {
  return JSON.parse(text, text.includes(bufferKey) ? (key, value) => (value?.[bufferKey] === undefined ? value : Buffer.from(value[bufferKey], "base64")) : undefined);
}

/** Returns a text behind its length in 4 bytes, little-endian. */
function frame(text) {
  const size = Buffer.byteLength(text);
  const framed = Buffer.allocUnsafe(4 + size);
  framed.writeUInt32LE(size);
  framed.write(text, 4);
  return framed;
}

/** Calls take with each text that is framed. */
function readFrames(socket, take) {
  let chunks = [];
  let length = 0;
  let needed = 4;
  socket.on("data", (chunk) => {
    chunks.push(chunk);
    length += chunk.length;
    while (length >= needed) {
      const all = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
      const end = 4 + all.readUInt32LE(0);
      if (all.length >= end) take(all.toString("utf8", 4, end));
      const rest = all.length >= end ? all.subarray(end) : all;
      chunks = [rest];
      length = rest.length;
      needed = all.length >= end ? 4 : end;
    }
  });
}

module.exports = { Lane, ahead, alone, copied, direct, keepBytes, later, nowhere, parse, past };
