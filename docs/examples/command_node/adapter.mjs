// A small gateway as an example: Chat Completions in, Chat Completions out, models under names of its own. It shows both
// levels: its conversions, and the calls it makes itself.
//
//   bridgecheck run --adapter 'command:node adapter.mjs' --scenario 'tools/*'

import { CallFailed, NotSupported, serve } from "./shim.mjs";

const MODELS = { fast: "gpt-4o-mini", clever: "gpt-4o" };

const adapter = {
  name: "example-gateway",
  version: "1.0",
  routes: [["openai-chat", "openai-chat"]],
  claims: ["tools", "parallel_tools"],

  toUpstream({ body, model }) {
    if (body.store) throw new NotSupported("store: this gateway keeps nothing");
    return { ...body, model: MODELS[model] ?? model };
  },

  fromUpstream({ status, body }) {
    return { status, body };
  },

  // State of a stream belongs to the object that is returned: several may be open at once.
  stream() {
    return { feed: (event) => [event], close: () => [] };
  },

  async call({ body, model, mode, base_url, api_key }, signal) {
    const answer = await reached(`${base_url}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${api_key}` },
      body: JSON.stringify(this.toUpstream({ body, model })),
      signal,
    });
    if (answer.status >= 400) throw await failure(answer, api_key);
    return mode === "stream" ? events(answer.body) : answer.json();
  },
};

async function reached(url, request) {
  try {
    return await fetch(url, request);
  } catch {
    throw new CallFailed(); // the connection broke before there was an answer
  }
}

// The client gets the provider's error, but not the key that some providers repeat in it.
async function failure(answer, key) {
  const wait = Number(answer.headers.get("retry-after") || NaN);
  const body = JSON.parse((await answer.text()).replaceAll(key, "***"));
  return new CallFailed(answer.status, body, Number.isFinite(wait) ? wait : undefined);
}

// The events of a stream, whatever pieces its bytes come in. One that ends without [DONE] was cut.
async function* events(body) {
  const text = new TextDecoder();
  let rest = "";
  let data = [];
  try {
    for await (const bytes of body) {
      const lines = (rest + text.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop();
      for (const line of lines) {
        if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
        if (line || !data.length) continue;
        const document = data.join("\n").trim();
        data = [];
        if (document === "[DONE]") return;
        yield JSON.parse(document);
      }
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // what fetch throws where a connection breaks
  }
  throw new CallFailed();
}

serve(adapter);
