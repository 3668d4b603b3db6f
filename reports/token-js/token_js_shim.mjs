// token.js as bridgecheck asks it: chat.completions.create of https://docs.tokenjs.ai, at the address of the recordings. It takes and
// gives "OpenAI's format" by its own word, so its client's dialect is OpenAI Chat; what it gives is written down as it is.
//
// Its option baseURL is for OpenAI alone. For Anthropic the SDK under it reads ANTHROPIC_BASE_URL; Google's SDK under it has an
// address that token.js has no option for, so here what is fetched from Google's host is fetched from that of the recordings.

import { AsyncLocalStorage } from "node:async_hooks";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { CallFailed, NotSupported, serve } from "../../docs/examples/command_node/shim.mjs";

// token.js is a CommonJS module, and so are the SDKs whose errors it lets through.
const require = createRequire(import.meta.url);
const { AnthropicError } = require("@anthropic-ai/sdk");
const { GoogleGenerativeAIError } = require("@google/generative-ai");
const { models, TokenJS } = require("token.js");

const GOOGLE = "https://generativelanguage.googleapis.com";
// How a provider's models are named; what a request gets that names another provider's; and the newest model that token.js has a
// row for, and whether its streams count tokens. It asks for a model that it has none for after extendModelList alone (https://github.com/token-js/token.js#readme).
const PROVIDERS = {
  anthropic: { named: /^claude/, usual: "claude-sonnet-4-5", like: "claude-3-7-sonnet-latest" },
  gemini: { named: /^gemini/, usual: "gemini-2.5-flash", like: "gemini-2.0-flash-001", counts: true },
};

// The fields of CompletionParams (dist/chat/index.d.ts): TypeScript refuses a call with another. In streams of Gemini it counts tokens
// by itself, so there nobody has to ask with stream_options.
const TYPED = new Set(
  "messages model stream temperature top_p stop n max_tokens response_format tools tool_choice".split(" "),
);

const adapter = {
  name: "token-js",
  version: JSON.parse(readFileSync(new URL("node_modules/token.js/package.json", import.meta.url), "utf8")).version,
  routes: Object.keys(PROVIDERS).map((provider) => ["openai-chat", provider]),

  async call({ body: { stream_options, ...body }, model, mode, upstream: provider, base_url, api_key }, signal) {
    if (stream_options && !PROVIDERS[provider].counts) throw new NotSupported("stream_options: CompletionParams has no such field");
    const untyped = Object.keys(body).find((name) => body[name] != null && !TYPED.has(name));
    if (untyped) throw new NotSupported(`${untyped}: CompletionParams has no such field`);
    const tokenjs = new TokenJS({ apiKey: api_key });
    const asked = { ...body, provider, model: known(tokenjs, provider, model) };
    process.env.ANTHROPIC_BASE_URL = base_url; // read at once
    const recording = { base_url, isAsked: false };
    try {
      const answer = await recordings.run(recording, () => tokenjs.chat.completions.create(asked));
      return mode === "stream" ? events(answer, signal) : answer;
    } catch (error) {
      // JSON that is none: of the provider once it was asked, else of the client's request.
      throw recording.isAsked && error instanceof SyntaxError ? answered(error) : failure(error);
    }
  },
};

const recordings = new AsyncLocalStorage();
const { fetch } = globalThis;
globalThis.fetch = (url, options) => {
  const asksModel = options?.method === "POST" && String(url).startsWith(GOOGLE);
  if (!asksModel) return fetch(url, options);
  const recording = recordings.getStore();
  recording.isAsked = true;
  return fetch(recording.base_url + url.slice(GOOGLE.length), options);
};

function known(tokenjs, provider, model) {
  const { named, usual, like } = PROVIDERS[provider];
  const name = named.test(model) ? model : usual;
  if (!models[provider].models.includes(name)) tokenjs.extendModelList(provider, name, like);
  return name;
}

// Chunks are read as the README reads them, in a loop that waits for nothing else: some of them change while they wait. A client that
// leaves is a loop that is left, which it can be at the next chunk: only then is the provider let go of, and the call over. A rejection
// that Google's SDK leaves unhandled ends the process; the pause lets it do so in the call that it belongs to.
async function* events(chunks, signal) {
  const found = new ReadableStream({ start: (queue) => void read(chunks, signal, queue) });
  try {
    for await (const { chunk, error } of found) {
      if (error) throw failure(error);
      yield chunk;
    }
  } finally {
    await new Promise(setImmediate);
  }
}

async function read(chunks, signal, queue) {
  try {
    for await (const chunk of chunks) {
      if (signal.aborted) break;
      queue.enqueue({ chunk });
    }
  } catch (error) {
    queue.enqueue({ error });
  }
  queue.close();
}

// Errors of the SDKs are the provider's answer, or say that the connection broke. With an error of its own, or a plain one, token.js
// says what it does not take; those of JavaScript, and what it calls "Should never happen", are breakdowns. It downloads images, and
// the run is offline: what the SDKs fetch fails with an error of theirs.
function failure(error) {
  if (error instanceof AnthropicError || error instanceof GoogleGenerativeAIError) return answered(error);
  if (error.message === "terminated" || error.name === "FetchError") return new CallFailed(); // of fetch, and of node-fetch
  if (error.message === "fetch failed") return new NotSupported("an image by its address: it downloads that, and the fetch failed");
  const broken = /^(?:Type|Syntax|Range|Reference)Error$|^InvariantError$/.test(error.name);
  return broken ? error : new NotSupported(error.message);
}

function answered(error) {
  const said = error.error?.error ?? {}; // of Anthropic's document
  const words = { message: said.message ?? error.message, type: said.type ?? error.constructor.name, param: null, code: null };
  return new CallFailed(error.status, { error: words }, wait(error));
}

// Seconds: of the header for Anthropic, of RetryInfo for Google.
function wait({ headers, errorDetails }) {
  const told = headers?.["retry-after"] ?? errorDetails?.find(({ retryDelay }) => retryDelay)?.retryDelay;
  const seconds = Number.parseFloat(told);
  return Number.isFinite(seconds) ? seconds : undefined;
}

serve(adapter);
