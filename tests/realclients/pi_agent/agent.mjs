// The agent core of pi with a model of Chat Completions at the gateway. `node agent.mjs ORIGIN KEY MODEL TOOLS QUESTION...` asks the
// questions one after the other, with a tool where TOOLS is "tools", and prints a JSON document: `types` of its events, the pieces
// of text as they came, and its messages.

import { Agent } from "@mariozechner/pi-agent-core";

const [origin, key, id, tools, ...questions] = process.argv.slice(2);
const gauge = {
  name: "gauge",
  label: "Gauge",
  description: "Height of the tide at a harbour",
  parameters: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
  execute: async (_id, { at }) => ({ content: [{ type: "text", text: `3 m at ${at}` }], details: {} }),
};
const model = {
  id,
  name: id,
  api: "openai-completions",
  provider: "gateway",
  baseUrl: `${origin}/v1`,
  reasoning: false,
  input: ["text", "image"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 200000,
  maxTokens: 4096,
};
const agent = new Agent({
  initialState: { systemPrompt: "Be brief.", model, tools: tools === "tools" ? [gauge] : [] },
  getApiKey: () => key,
});
const types = [];
const pieces = [];
agent.subscribe((event) => {
  types.push(event.type);
  const update = event.assistantMessageEvent;
  if (event.type === "message_update" && update.type === "text_delta") pieces.push(update.delta);
});
for (const question of questions) await agent.prompt(question);
console.log(JSON.stringify({ types, pieces, messages: agent.state.messages }));
