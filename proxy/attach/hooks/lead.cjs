"use strict";
// Leads what tests and the Playwright in the same process say to each other through
// `breadcrumb run`. What that follows takes the way, as JSON, and what is said behind it
// waits until it is passed on. All else goes on directly, as the object that it is.

const { randomBytes } = require("node:crypto");
const net = require("node:net");
const { Lane, ahead, alone, copied, parse, past } = require("./lane.cjs");

/**
 * Leads the connection of a playwright-core (createInProcessPlaywright in
 * packages/playwright-core/src/inProcessFactory.ts), from the first message that is
 * followed. Throws where the connection has another form, and calls tell where `breadcrumb
 * run` is gone before the tests, which go on without it.
 */
function lead(playwright, way, worker, tell) {
  const connection = playwright?._connection;
  if (typeof connection?.onmessage !== "function" || typeof connection.dispatch !== "function" || !(connection._objects instanceof Map))
    throw new Error("this Playwright is built differently from the versions that Breadcrumb knows, 1.36 to 1.65; a newer Breadcrumb may know it");
  const leader = new Leader(connection, way, worker, tell);
  connection.onmessage = (message) => leader.toDriver.take(message);
  connection.dispatch = (message) => leader.toClient.take(message);
}

class Leader {
  constructor(connection, way, worker, tell) {
    this.way = way;
    this.tell = tell;
    this.pair = { path: way.path, worker, pair: randomBytes(16).toString("hex") };
    this.calls = new Set(way.calls);
    this.events = new Set(way.events);
    this.open = new Map(); // calls that took the way and are not answered, by id
    this.asked = new Map(); // methods of Breadcrumb's own calls that are not answered, by id
    this.handles = new Set(); // guids of handles that may be Breadcrumb's own
    this.left = false;

    const send = connection.onmessage.bind(connection);
    const dispatch = connection.dispatch.bind(connection);
    this.toDriver = new Lane(this, "call", (message) => {
      this.noteCall(message);
      send(message);
    });
    this.toClient = new Lane(this, "answer", (message) => {
      this.noteAnswer(message);
      process.nextTick(dispatch, message); // the stacks of the tests' handlers begin there
    });
    this.before = [...connection._objects].filter(([, object]) => way.kinds.includes(object._type));
    this.known = new Set(this.before.map(([guid]) => guid)); // objects whose events take the way
  }

  /** Connects both lanes, and tells of the objects that there were before. */
  connect() {
    const [host, port] = this.way.address.split(":");
    const [client, driver] = ["client", "driver"].map((side) => {
      const socket = net.connect({ host, port: Number(port), noDelay: true });
      socket.unref();
      for (const end of ["error", "close"]) socket.on(end, () => this.leave());
      return socket;
    });
    this.toDriver.connect(client, driver, { ...this.pair, side: "client" });
    this.toClient.connect(driver, client, { ...this.pair, side: "driver" });
    for (const [guid, object] of this.before)
      this.toClient.copy({ guid: object._parent?._guid ?? "", method: "__create__", params: { type: object._type, guid, initializer: {} } });
    this.toDriver.nudge();
  }

  /** Returns how a message goes on. Each is asked for once, in their order. */
  follow(message, part) {
    if (part === "call") return this.calls.has(message.method) ? ahead : past;
    return message.id === undefined ? this.followEvent(message) : this.followAnswer(message);
  }

  /** Only an answer that Breadcrumb may hold back goes through it. */
  followAnswer({ id, error }) {
    const asked = this.asked.get(id);
    if (asked !== undefined) return this.way.makers.includes(asked) ? ahead : alone;
    if (this.makesHandle()) return ahead;
    const call = this.open.get(id)?.call.message;
    if (!call) return past;
    return error || this.way.held.includes(call.method) ? ahead : copied;
  }

  followEvent({ guid, method, params }) {
    const makes = this.makesHandle();
    let follows = this.events.has(method) && this.known.has(method === "__adopt__" ? params.guid : guid);
    if (method === "__create__") {
      follows = this.way.kinds.includes(params.type);
      if (follows) this.known.add(params.guid);
      else if (makes) this.handles.add(params.guid);
    } else if (method === "__dispose__") {
      this.known.delete(guid);
    }
    const own = this.handles.has(guid);
    if (own && method === "__dispose__") this.handles.delete(guid);
    if (makes || own) return ahead;
    return follows ? copied : past;
  }

  /** Notes that Breadcrumb was told something. Of some new objects it tells the driver something, when it is spoken to. */
  noteCopied({ method, params }) {
    if (method === "__create__" && this.way.told.includes(params.type)) this.toDriver.nudge();
  }

  makesHandle() {
    return [...this.asked.values()].some((method) => this.way.makers.includes(method));
  }

  /** Keeps a message that is on its way. Returns whether it is Breadcrumb's own. */
  keep(part, sent) {
    const { id } = sent.message;
    if (part === "call" && id !== undefined) this.open.set(id, { call: sent });
    else if (this.open.has(id)) this.open.get(id).answer = sent;
    return part === "answer" && this.asked.delete(id);
  }

  /** Returns the message of a text that comes back: the one that was kept, if nothing changed. */
  find(part, text) {
    const message = parse(text);
    const open = this.open.get(message.id);
    if (part === "call" && !open) this.asked.set(message.id, message.method);
    return open?.[part]?.text === text ? open[part].message : message;
  }

  /** Notes what the driver gets. */
  noteCall(message) {
    const open = this.open.get(message.id);
    if (open) this.open.set(message.id, { call: open.call, made: message });
  }

  /** Notes what the client gets. */
  noteAnswer({ id, method, params }) {
    this.open.delete(id);
    if (method === "__create__") this.handles.delete(params.guid);
  }

  /** Reports whether a message is of a call or of a handle of Breadcrumb's own. */
  isOwn({ id, guid }) {
    return this.asked.has(id) || this.handles.has(guid);
  }

  /** Goes on without Breadcrumb, and passes on what it held. */
  leave() {
    if (this.left) return;
    this.left = true;
    for (const { call, answer, made } of [...this.open.values()]) {
      if (!made) this.toDriver.hand(call.message);
      else if (answer) this.passAlone(answer.message, this.toClient);
    }
    this.toDriver.end();
    this.toClient.end();
    this.tell();
  }

  /**
   * Passes on a message where Breadcrumb is no more. A call that it had changed, and that
   * failed, is made as the client wrote it.
   */
  passAlone(message, lane) {
    const { call, made } = (lane === this.toClient && this.open.get(message.id)) || {};
    if (message.error && made !== call?.message) this.toDriver.hand(call.message);
    else if (!this.isOwn(message)) lane.hand(message);
  }
}

module.exports = { lead };
