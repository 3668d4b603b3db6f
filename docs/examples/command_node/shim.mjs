// bridgecheck's command protocol, version 1 (docs/protocol.md), for any object in JavaScript. Copy it; it needs nothing.
//
//   serve(adapter)
//
// The adapter has a name, a version, routes, and what it can of toUpstream, fromUpstream, stream and call, async or not.
// A refusal is a NotSupported that names the field. A call that the provider answers with an error throws CallFailed.

import { createInterface } from "node:readline";

export class NotSupported extends Error {}

// body: the error as the client gets it, in its dialect; retryAfter: seconds. Without a body the connection broke.
export class CallFailed extends Error {
  constructor(status, body, retryAfter) {
    super(`status ${status}`);
    this.said = { status, body, retry_after: retryAfter };
  }
}

const METHODS = { to_upstream: "toUpstream", from_upstream: "fromUpstream", stream: "stream", call: "call" };

export function serve(adapter) {
  // Answers are all there may be on standard output.
  console.log = console.info = console.debug = console.error;
  const open = { streams: new Map(), calls: new Map() };
  const say = (id, answer) => process.stdout.write(JSON.stringify({ id, ...answer }) + "\n");
  // The harness sends ASCII, so the other line ends that readline knows (U+2028) cannot stand in a line.
  createInterface({ input: process.stdin }).on("line", async (line) => {
    const { id, op, ...request } = JSON.parse(line);
    try {
      for await (const answer of answers(adapter, open, id, op, request)) say(id, answer);
    } catch (error) {
      say(id, mistake(error));
    }
    if (op === "stop") process.stdout.end(() => process.exit(0));
  });
}

// One answer, but for a streamed call: that has one for each event.
async function* answers(adapter, open, id, op, request) {
  if (op === "start") yield { bridgecheck: 1, name: adapter.name, version: adapter.version };
  else if (op === "capabilities") yield capabilities(adapter);
  else if (op === "to_upstream") yield { body: await adapter.toUpstream(request) };
  else if (op === "from_upstream") yield await adapter.fromUpstream(request);
  else if (op === "stream.open") {
    open.streams.set(request.stream, await adapter.stream(request));
    yield { opened: true };
  } else if (op === "stream.feed") yield { events: await open.streams.get(request.stream).feed(request.event) };
  else if (op === "stream.close") {
    yield { events: await open.streams.get(request.stream).close() };
    open.streams.delete(request.stream);
  } else if (op === "call") yield* called(adapter, open, id, request);
  else if (op === "cancel") {
    const call = open.calls.get(request.call);
    call?.abort();
    await call?.over;
    yield { cancelled: true };
  } else if (op === "stop") yield { stopped: true };
  else throw new NotSupported(`the operation ${op}`);
}

async function* called(adapter, open, id, request) {
  const call = new AbortController();
  call.over = new Promise((resolve) => (call.resolve = resolve));
  open.calls.set(id, call);
  try {
    const found = await adapter.call(request, call.signal);
    if (request.mode !== "stream") return yield { body: found };
    for await (const event of found) yield { event };
    yield { end: true };
  } finally {
    open.calls.delete(id);
    call.resolve();
  }
}

function capabilities(adapter) {
  const does = Object.keys(METHODS).filter((name) => adapter[METHODS[name]]);
  const { routes, sessions, claims, cannot_say } = adapter; // what is undefined is left out by JSON
  return { routes, sessions, claims, cannot_say, does: adapter.call ? [...does, "cancel"] : does };
}

function mistake(error) {
  if (error instanceof NotSupported) return { unsupported: error.message };
  if (error instanceof CallFailed) return { failed: error.said };
  return { errored: String(error), traceback: error?.stack };
}
