"use strict";

const { randomBytes } = require("node:crypto");

// How a message goes on.
const past = 0; // past Breadcrumb
const copied = 1; // past it, which is told of it
const alone = 2; // to it alone
const ahead = 3; // through it, ahead of all that is said behind it

const answerTime = 20_000; // ms, after which Breadcrumb is taken to be gone
const copyTime = 10; // ms that a copy may wait for what is written next: each write costs

const bufferKey = "breadcrumb-" + randomBytes(16).toString("hex"); // of the bytes in a message

/** Lane is one direction of what tests and Playwright say, in its order. */
class Lane {
  constructor(leader, part, deliver) {
    this.leader = leader;
    this.part = part; // "call" or "answer"
    this.deliver = deliver;
    this.waiting = []; // behind what is ahead
    this.ahead = undefined; // has a marker behind it that comes back unread
    this.copies = new Map(); // how often each text is to come back for nobody
    this.marker = "breadcrumb-" + randomBytes(16).toString("hex");
    this.unwritten = []; // copies
    this.written = 0; // texts, with those
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
      if (way !== past) this.lead(message, way);
      if (way === ahead) return;
      this.ahead = undefined;
      if (way !== alone) this.hand(message);
    }
  }

  lead(message, way) {
    if (!this.to) this.leader.connect();
    if (way === copied) return this.copy(message.id === undefined ? message : { id: message.id });
    const sent = { message, text: JSON.stringify(message, keepBytes) };
    sent.handed = this.leader.keep(this.part, sent); // what is Breadcrumb's own is nobody else's
    if (way === alone) return this.write(sent.text);
    this.ahead = sent;
    sent.marker = `{"method":"${this.marker}","params":${this.written}}`;
    this.write(sent.text, sent.marker);
    this.timer = setTimeout(() => this.leader.leave(), answerTime).unref();
  }

  /** Tells Breadcrumb of a message that goes past it. */
  copy(message) {
    const text = JSON.stringify(message);
    this.copies.set(text, (this.copies.get(text) ?? 0) + 1);
    this.unwritten.push(text);
    this.written++;
    this.copyTimer ??= setTimeout(() => this.write(), copyTime).unref();
    this.leader.noteCopied(message);
  }

  /** Speaks to Breadcrumb without anything to say. */
  nudge() {
    this.copy({ method: this.marker });
    this.write();
  }

  /** Writes texts behind the copies. Before a call stands how much Breadcrumb was told of answers before it. */
  write(...texts) {
    clearTimeout(this.copyTimer);
    this.copyTimer = undefined;
    this.written += texts.length;
    const all = [...this.unwritten, ...texts];
    this.unwritten = [];
    if (all.length === 0 || this.leader.left) return;
    if (this.part === "call") {
      this.leader.toClient.write();
      all.unshift("after " + this.leader.toClient.written);
    }
    this.to.write(Buffer.concat(all.map(frame)));
  }

  /** Takes what comes back. */
  receive(text) {
    const copies = this.copies.get(text);
    if (this.leader.left) return;
    if (copies > 1) {
      this.copies.set(text, copies - 1);
    } else if (copies) {
      this.copies.delete(text);
    } else if (text === this.ahead?.marker) {
      clearTimeout(this.timer);
      this.ahead = undefined;
      this.pass();
    } else {
      this.hand(text === this.ahead?.text ? this.ahead.message : this.leader.find(this.part, text));
    }
  }

  hand(message) {
    if (this.ahead?.message === message) this.ahead.handed = true;
    this.deliver(message);
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

module.exports = { Lane, ahead, alone, copied, parse, past };
