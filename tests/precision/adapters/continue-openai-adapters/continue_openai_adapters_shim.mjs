// @continuedev/openai-adapters as bridgecheck asks it: constructLlmApi and the methods of BaseLlmApi for chats
// (https://github.com/continuedev/continue/tree/main/packages/openai-adapters). They take and give OpenAI's own types, so the
// client's dialect is OpenAI Chat: what it asks is passed on and what it gets is written down, both as they are.

import { readFileSync } from "node:fs";

import { constructLlmApi } from "@continuedev/openai-adapters";

import { CallFailed, NotSupported, serve } from "../../../../docs/examples/command_node/shim.mjs";

const installed = new URL("node_modules/@continuedev/openai-adapters/package.json", import.meta.url);

// How a provider's models are named, and what a request gets that names another provider's.
const PROVIDERS = {
  anthropic: { named: /^claude/, usual: "claude-sonnet-4-5" },
  gemini: { named: /^gemini/, usual: "gemini-2.5-flash" },
};

const adapter = {
  name: "continue-openai-adapters",
  version: JSON.parse(readFileSync(installed, "utf8")).version,
  routes: Object.keys(PROVIDERS).map((provider) => ["openai-chat", provider]),

  async call({ body, model, mode, upstream: provider, base_url, api_key }, signal) {
    const { named, usual } = PROVIDERS[provider];
    const api = connected(provider, base_url, api_key);
    const asked = { ...body, model: named.test(model) ? model : usual };
    if (mode === "stream") return events(api.chatCompletionStream(asked, signal), signal);
    try {
      return await api.chatCompletionNonStream(asked, signal);
    } catch (error) {
      throw failure(error);
    }
  },
};

// apiBase ends in the version. GeminiApi gives Google's SDK none; that reads its own variable as it is made, which is at once.
function connected(provider, base_url, apiKey) {
  if (provider === "anthropic") return constructLlmApi({ provider, apiKey, apiBase: `${base_url}/v1/` });
  process.env.GOOGLE_GEMINI_BASE_URL = base_url;
  return constructLlmApi({ provider, apiKey });
}

async function* events(chunks, signal) {
  try {
    for await (const chunk of chunks) {
      if (signal.aborted) return;
      yield chunk;
    }
  } catch (error) {
    throw failure(error);
  }
}

// An ApiError of Google's SDK is the provider's answer, with its status. Anthropic's answers are plain errors: the message is the
// provider's text, or that behind a few words, and there is no status. A SyntaxError is of an answer that is no JSON: nothing else is
// parsed where nobody catches it. Other errors of JavaScript are breakdowns, and so is the one by which the package says that it lost
// a call; those of fetch and node-fetch say that the connection broke.
function failure(error) {
  const { name, code, message } = error;
  if (/^Unsupported|^Method not implemented/.test(message)) return new NotSupported(message);
  const left = code === "ECONNRESET" || name === "FetchError" || /^(?:terminated|fetch failed)$|premature close/i.test(message);
  if (left) return new CallFailed();
  if (/^(?:Type|Range|Reference)Error$/.test(name) || message === "No tool use found") return error;
  const said = read(message);
  const words = { message: said?.message ?? message, type: said?.type ?? said?.status ?? name, param: null, code: null };
  return new CallFailed(error.status, { error: words }, wait(said));
}

function read(text) {
  try {
    return JSON.parse(text.slice(text.indexOf("{"))).error;
  } catch {
    return undefined;
  }
}

// Seconds, of Google's RetryInfo.
function wait(said) {
  const told = said?.details?.find?.(({ retryDelay }) => retryDelay)?.retryDelay;
  const seconds = Number.parseFloat(told);
  return Number.isFinite(seconds) ? seconds : undefined;
}

serve(adapter);
