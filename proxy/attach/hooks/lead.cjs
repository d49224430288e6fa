"use strict";
// Leads what tests and the Playwright in the same process say to each other through
// `breadcrumb run`. What that follows takes the way, as JSON. Calls that find their element
// are made at once, and it is told of them later; what it may hold or change goes there first,
// and what is said behind that waits. All else goes on as the object that it is.

const { randomBytes } = require("node:crypto");
const net = require("node:net");
const { DirectCalls } = require("./direct.cjs");
const { Lane, ahead, alone, copied, direct, later, nowhere, parse, past } = require("./lane.cjs");
const { Readings } = require("./readings.cjs");

/**
 * Leads the connection of a playwright-core (createInProcessPlaywright in
 * packages/playwright-core/src/inProcessFactory.ts), from the first message that is
 * followed. Returns what is to be told which test makes the calls. Throws where the
 * connection has another form, and calls tell where `breadcrumb run` is gone before the
 * tests, which go on without it.
 */
function lead(playwright, way, tell) {
  const connection = playwright?._connection;
  if (typeof connection?.onmessage !== "function" || typeof connection.dispatch !== "function" || !(connection._objects instanceof Map))
    throw new Error("this Playwright is built differently from the versions that Breadcrumb knows, 1.36 to 1.65; a newer Breadcrumb may know it");
  const leader = new Leader(connection, way, tell);
  connection.onmessage = (message) => leader.toDriver.take(message);
  connection.dispatch = (message) => leader.toClient.take(message);
  return (test) => leader.tellTest(test);
}

class Leader {
  constructor(connection, way, tell) {
    this.way = way;
    this.tell = tell;
    this.pair = { path: way.path, pair: randomBytes(16).toString("hex") };
    this.followed = new Set(way.calls);
    this.events = new Set(way.events);
    this.open = new Map(); // calls that took the way and are not answered, by id
    this.asked = new Map(); // Breadcrumb's own calls that are not answered, by id
    this.readings = new Readings(way);
    this.calls = new DirectCalls(this);
    this.handles = new Set(); // guids of handles that may be Breadcrumb's own
    this.asks = false; // Breadcrumb may still ask pages something by itself
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
    this.objects = connection._objects;
    this.before = [...this.objects].filter(([, object]) => way.kinds.includes(object._type));
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
    if (this.test) this.toDriver.tellTest(this.test);
    this.toClient.connect(driver, client, { ...this.pair, side: "driver" });
    process.once("exit", () => this.toDriver.guard(() => this.flush()));
    for (const [guid, object] of this.before)
      this.toClient.copy({ guid: object._parent?._guid ?? "", method: "__create__", params: { type: object._type, guid, initializer: {} } });
  }

  /** Tells which test makes the calls from now on. */
  tellTest(test) {
    this.test = test;
    this.readings.noteTest(test);
    if (this.toDriver.to) this.toDriver.tellTest(test);
  }

  /** Returns how a message goes on. Each is asked for once, in their order. */
  follow(message, part) {
    if (part === "call") {
      const way = this.followCall(message);
      if (way !== direct) this.calls.readWaiting(); // it may change the page
      return way;
    }
    return message.id === undefined ? this.followEvent(message) : this.followAnswer(message);
  }

  followCall(message) {
    const { method, params = {} } = message;
    if (!this.followed.has(method) || this.readings.isIgnored(message)) return past;
    this.readings.noteCall(message);
    const closes = this.way.closing.includes(method);
    if (closes ? !this.asks : this.readings.isDirect(message)) return direct;
    if (closes) this.asks = false;
    else if (params.selector || params.source) this.asks = true;
    return ahead;
  }

  /** Makes a call, and tells of it. Returns whether that is done. */
  makeDirect(message) {
    if (!this.toDriver.to) this.connect();
    return this.way.closing.includes(message.method) ? this.calls.close(message) : this.calls.make(message);
  }

  /** Makes a call of Breadcrumb's own. then gets the answer and returns how that goes on. */
  ask(call, then) {
    this.asked.set(call.id, { ...call, then });
    this.toDriver.deliver(call);
  }

  /** Only an answer that Breadcrumb may hold back goes through it. */
  followAnswer(message) {
    const { id, error } = message;
    const asked = this.asked.get(id);
    if (asked?.then) return asked.then(message);
    if (asked) return this.followOwn(asked);
    if (this.makesHandle()) return ahead;
    const open = this.open.get(id);
    if (!open) return past;
    const call = open.call.message;
    const holds = !error && (!this.way.held.includes(call.method) || (open.byWorker && !fails(call, message)));
    if (holds && open.byWorker) open.again = this.calls.readBehind(open);
    else this.asks = true;
    return holds ? copied : ahead;
  }

  followOwn({ method }) {
    if (this.way.makers.includes(method)) return ahead;
    return method === this.way.reads && !this.isAwaited() ? later : alone;
  }

  /** Reports whether a message waits for Breadcrumb. */
  isAwaited() {
    return [this.toDriver, this.toClient].some((lane) => lane.ahead?.marker);
  }

  /** Returns what Breadcrumb is told of a message that goes past it. */
  shorten(message) {
    const { id } = message;
    return id === undefined ? message : { id, read: this.open.get(id)?.again };
  }

  /** Tells at once of an answer to a call that Breadcrumb made: it may have the page asked what came. */
  tellSoon({ id }) {
    const open = this.open.get(id);
    if (open && !open.byWorker) this.flush();
  }

  /** Reports whether a call closes a page or context alone, and its browser stays. */
  keepsBrowser({ guid }) {
    return ["Browser", "BrowserContext"].includes(this.objects.get(guid)?._parent?._type);
  }

  /** Writes what waits in both lanes. */
  flush() {
    this.toClient.flush();
    this.toDriver.flush();
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
      this.readings.noteGone(guid);
    } else if (method === "frameDetached") {
      this.readings.noteGone(params.frame.guid);
    }
    const own = this.handles.has(guid);
    if (own && method === "__dispose__") this.handles.delete(guid);
    if (makes || own) return ahead;
    return follows ? copied : past;
  }

  /** Notes that Breadcrumb was told something. The selector engine is registered with new contexts before the tests can hear of them. */
  noteCopied({ method, params }) {
    if (method !== "__create__") return;
    const call = this.readings.noteNew(params);
    if (!call) return;
    this.ask(call, ({ id, error }) => {
      this.asked.delete(id);
      this.readings.noteRegistered(params.guid, error);
      return nowhere;
    });
  }

  makesHandle() {
    return [...this.asked.values()].some(({ method }) => this.way.makers.includes(method));
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
    if (part === "call" && !open) this.asked.set(message.id, message);
    return open?.[part]?.text === text ? open[part].message : message;
  }

  /** Notes what the driver gets. */
  noteCall(message) {
    const open = this.open.get(message.id);
    if (open) this.open.set(message.id, { ...open, answer: undefined, made: message });
  }

  /** Notes what the client gets. */
  noteAnswer({ id, method, params }) {
    this.open.delete(id);
    if (method === "__create__") this.handles.delete(params.guid);
  }

  /** Reports whether a message is of a call or of a handle of Breadcrumb's own. */
  isOwn({ id, guid }) {
    return this.asked.has(id) || this.readings.asked(id) || this.handles.has(guid);
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

/** Reports whether the answer to an assertion, without an error, is that it does not hold: so older Playwrights say it. */
function fails(call, { result }) {
  return result?.matches !== undefined && result.matches === Boolean(call.params.isNot);
}

module.exports = { lead };
