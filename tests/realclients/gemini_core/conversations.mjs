// Plays conversations with GeminiClient of @google/gemini-cli-core: node conversations.mjs FILE, a JSON list of
// {id, model, next_speaker, max_session_turns, threshold, max_attempts, steps, responses}; a step is {message, prompt,
// turns, cancel_at}, a response {status, body} or {events, end}. Prints one JSON line a conversation: the events of each
// step, the requests as received, the waits and the history. Waits of more than 0.4 s do not take place.
import http from "node:http";
import { mkdirSync, readFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SHORTEST_WAIT_MS = 400;
const home = mkdtempSync(join(tmpdir(), "chat-"));
const project = join(home, "project");
mkdirSync(project);
Object.assign(process.env, {
  HOME: home, GEMINI_CLI_HOME: home, GEMINI_API_KEY: "stub-key-123", NO_BROWSER: "true", GEMINI_TELEMETRY_ENABLED: "false",
});
const print = process.stdout.write.bind(process.stdout);
console.log = console.error = console.warn = console.info = console.debug = () => {};
process.stdout.write = () => true;
process.stderr.write = () => true;

const { Config, AuthType } = await import("@google/gemini-cli-core");

let waits = [];
let playing = false;
const setRealTimeout = globalThis.setTimeout;
globalThis.setTimeout = (callback, ms, ...more) => {
  if (!playing || !(ms >= SHORTEST_WAIT_MS) || ms > 200_000) return setRealTimeout(callback, ms, ...more);
  if (/retry|delay|geminiChat/i.test(new Error().stack)) waits.push(ms / 1000);
  else return setRealTimeout(callback, ms, ...more);
  return setRealTimeout(callback, 0, ...more);
};
Math.random = () => 0.5;

let requests = [];
let responses = [];
const server = http.createServer((request, response) => {
  let text = "";
  request.on("data", (piece) => (text += piece));
  request.on("end", () => {
    const scripted = responses[Math.min(requests.length, responses.length - 1)];
    requests.push({ path: request.url, body: JSON.parse(text) });
    if (scripted.events) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of scripted.events) response.write(`data: ${JSON.stringify(event)}\r\n\r\n`);
      if (scripted.end === "cut") return setRealTimeout(() => response.destroy(), 20);
      if (scripted.end === "stall") return undefined;
      return response.end();
    }
    response.writeHead(scripted.status ?? 200, { "content-type": "application/json" });
    return response.end(JSON.stringify(scripted.body));
  });
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
process.env.GOOGLE_GEMINI_BASE_URL = `http://127.0.0.1:${server.address().port}`;

async function play(conversation) {
  requests = [];
  responses = conversation.responses;
  waits = [];
  const config = new Config({
    sessionId: `session-${conversation.id}`, targetDir: project, cwd: project, debugMode: false, model: conversation.model,
    skipNextSpeakerCheck: !conversation.next_speaker, maxSessionTurns: conversation.max_session_turns || -1,
    compressionThreshold: conversation.threshold ?? undefined, usageStatisticsEnabled: false, telemetry: { enabled: false },
    coreTools: [], maxAttempts: conversation.max_attempts ?? undefined, enableHooks: false, interactive: false,
  });
  await config.refreshAuth(AuthType.USE_GEMINI);
  await config.initialize();
  const client = config.getGeminiClient();
  const preamble = client.getHistory();
  if (conversation.history) client.setHistory([...preamble, ...conversation.history]);
  const steps = [];
  playing = true;
  for (const step of conversation.steps) {
    const abort = new AbortController();
    const events = [];
    try {
      for await (const event of client.sendMessageStream(step.message, abort.signal, step.prompt, step.turns ?? undefined)) {
        events.push(JSON.parse(JSON.stringify(event)));
        if (events.length === step.cancel_at) abort.abort();
      }
    } catch (error) {
      events.push({ type: "raised", value: { name: error.name, message: error.message } });
    }
    steps.push(events);
  }
  playing = false;
  const result = { id: conversation.id, preamble, steps, requests, waits, history: client.getHistory() };
  client.dispose?.();
  return result;
}

for (const conversation of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  let line;
  try {
    line = await play(conversation);
  } catch (error) {
    line = { id: conversation.id, failed: error.stack };
  }
  print(`${JSON.stringify(line)}\n`);
}
setRealTimeout(() => process.exit(0), 50);
