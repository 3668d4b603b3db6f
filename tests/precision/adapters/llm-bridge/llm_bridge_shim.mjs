// llm-bridge as bridgecheck asks it: requests by toUniversal and fromUniversal, streams by handleUniversalStreamRequest, as
// https://github.com/supermemoryai/llm-bridge#readme has them (2026-11-23). Nothing is sent: documents in, documents out.

import { readFileSync } from "node:fs";

import { fromUniversal, handleUniversalStreamRequest, toUniversal } from "llm-bridge";

import { serve } from "../../../../docs/examples/command_node/shim.mjs";

const PROVIDERS = { "openai-chat": "openai", anthropic: "anthropic", gemini: "google" };
const installed = new URL("node_modules/llm-bridge/package.json", import.meta.url);

const adapter = {
  name: "llm-bridge",
  version: JSON.parse(readFileSync(installed, "utf8")).version,
  routes: Object.keys(PROVIDERS).flatMap((client) =>
    Object.keys(PROVIDERS).flatMap((upstream) => (client === upstream ? [] : [[client, upstream]])),
  ),

  // translateBetweenProviders is these two steps. Between them stands what Gemini's clients say in the address.
  toUpstream({ client, upstream, mode, model, body }) {
    const inAddress = client === "gemini" ? { model, stream: mode === "stream" } : {};
    const provider = PROVIDERS[upstream];
    return fromUniversal(provider, { ...toUniversal(PROVIDERS[client], body), ...inAddress, provider });
  },

  stream({ client, upstream }) {
    return new Events(PROVIDERS[upstream], PROVIDERS[client]);
  },
};

// The provider's events go in as the bytes of its HTTP, one event at a time; the client's come out as bytes.
class Events {
  constructor(upstream, client) {
    this.provider = upstream;
    const source = new ReadableStream({ start: (controller) => void (this.source = controller) });
    this.reader = handleUniversalStreamRequest(source, upstream, client).getReader();
    this.said = [];
    this.over = this.read();
  }

  async feed(event) {
    const name = this.provider === "anthropic" ? `event: ${event.type}\n` : "";
    this.source.enqueue(new TextEncoder().encode(`${name}data: ${JSON.stringify(event)}\n\n`));
    await new Promise(setImmediate); // by then it has said all that it says to this event
    return this.said.splice(0);
  }

  async close() {
    this.source.close();
    await this.over;
    return this.said.splice(0);
  }

  // It writes one event at a time, in one line of data. [DONE] is none.
  async read() {
    for (let piece = await this.reader.read(); !piece.done; piece = await this.reader.read()) {
      const data = new TextDecoder().decode(piece.value).split(/^(?:event: \w+\n)?data: /)[1].trimEnd();
      if (data !== "[DONE]") this.said.push(JSON.parse(data));
    }
  }
}

serve(adapter);
