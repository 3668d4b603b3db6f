// pi-ai as bridgecheck asks it: stream and complete of its README (https://github.com/badlogic/pi-mono/tree/main/packages/ai), with
// the options of each provider, at the base URL of the recordings. It has types of its own, so the client's dialect is outcome
// (docs/outcome.md). Tools are executed by the caller.
//
// Answers are written down as the AssistantMessage says them, streams as their events do; `keep` is that message, which the README
// tells callers to add to the context, and which is plain JSON ("Context Serialization").

import { readFileSync } from "node:fs";

import { clampThinkingLevel, complete, getModel, stream } from "@mariozechner/pi-ai";

import { NotSupported, serve } from "../../../../docs/examples/command_node/shim.mjs";

const { version } = JSON.parse(readFileSync(new URL("node_modules/@mariozechner/pi-ai/package.json", import.meta.url), "utf8"));

// A baseUrl holds the version of the API, but for Anthropic's: https://github.com/badlogic/pi-mono/tree/main/packages/ai#custom-models
const PROVIDERS = {
  "openai-chat": { provider: "openai", api: "openai-completions", path: "", options: openaiOptions },
  anthropic: { provider: "anthropic", api: "anthropic-messages", path: "", options: anthropicOptions },
  gemini: { provider: "google", api: "google-generative-ai", path: "/v1beta", options: googleOptions },
};
const FINISH = { stop: "stop", length: "length", toolUse: "tool_calls" };
// StreamOptions (dist/types.d.ts). A user is in its metadata, of which Anthropic's user_id is the one that is documented.
const SETTINGS = { temperature: "temperature", max_tokens: "maxTokens" };
const LEVELS = ["minimal", "low", "medium", "high", "xhigh"]; // ThinkingLevel
// What stands for a level with models before Gemini 3, which have no levels (https://ai.google.dev/gemini-api/docs/thinking), by
// Google's own table: https://ai.google.dev/gemini-api/docs/openai#thinking (2026-11-23)
const GOOGLE_BUDGETS = { minimal: 1024, low: 1024, medium: 8192, high: 24576 };
const LEAST_BUDGET_OF_PRO = 128; // Gemini 2.5 Pro cannot stop thinking: https://ai.google.dev/gemini-api/docs/thinking (2026-11-23)
// What stands for a level with models of Anthropic that have budgets, by pi-ai's own table (dist/providers/simple-options.js)
const ANTHROPIC_BUDGETS = { minimal: 1024, low: 2048, medium: 8192, high: 16384 };
const ADAPTIVE = /opus-4[-.][67]|sonnet-4[-.]6/; // AnthropicOptions: those that think adaptively, and have an effort for a level
const EFFORTS = { minimal: "low", low: "low", medium: "medium", high: "high", xhigh: "xhigh" };
// Of Chat's thoughts the signature is the name of the field that they came in and go back in, and signs nothing.
const CHAT_FIELDS = ["reasoning_content", "reasoning", "reasoning_text"];
const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };

const adapter = {
  name: "pi-ai",
  version,
  routes: Object.keys(PROVIDERS).map((upstream) => ["outcome", upstream]),
  claims: ["tools", "parallel_tools", "thinking", "signatures", "media_input", "relay"],
  cannot_say: [
    ...["citations", "code", "refusal", "error.retry_after", "thinking.include", "usage.reasoning", "usage.tool_prompt"],
    ...["settings.frequency_penalty", "settings.modalities", "settings.presence_penalty", "settings.seed", "settings.stop"],
    ...["settings.top_k", "settings.top_p", "settings.user", "tool_choice.parallel", "tool_choice.validated", "tools.strict"],
    ...["turns.media.detail", "turns.media.uri", "turns.name"],
  ],

  async call({ body, model: name, mode, upstream, base_url, api_key }, signal) {
    const model = modelOf(PROVIDERS[upstream], name, base_url, body);
    const sent = { payload: null }; // what goes wrong before there is one is no answer of the provider
    const onPayload = (payload) => void (sent.payload = payload);
    const options = { ...optionsOf(body, model, upstream), apiKey: api_key, maxRetries: 0, signal, onPayload };
    const context = contextOf(body, model);
    if (mode === "stream") return events(stream(model, context, options), sent);
    return answer(await complete(model, context, options), sent);
  },
};

// The request -------------------------------------------------------------------------------------------------------

// A model that it has a row for, at another address; or one as "Custom Models" says. A row of OpenAI's is for Responses.
function modelOf({ provider, api, path }, id, base_url, { thinking }) {
  const baseUrl = base_url + path;
  const known = getModel(provider, id);
  if (known) return { ...known, api, baseUrl };
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const row = { id, name: id, api, provider, baseUrl, reasoning: thinking != null, input: ["text", "image"], cost };
  const levels = api === "openai-completions" ? { thinkingLevelMap: levelsOf(id, thinking) } : {};
  return { ...row, ...levels, contextWindow: 200000, maxTokens: 64000 };
}

// "Keys are pi thinking levels ..., string values are sent to the provider": without a row pi-ai takes xhigh for no level, and has
// no word for off, which since GPT-5.1 is none (https://platform.openai.com/docs/guides/reasoning, 2026-11-23).
function levelsOf(id, thinking) {
  return { xhigh: "xhigh", ...(thinking?.budget === 0 && /^gpt-5\.\d/.test(id) && { off: "none" }) };
}

function optionsOf({ settings, thinking, tool_choice: choice, response_format: format }, model, upstream) {
  const asked = {};
  for (const [name, value] of Object.entries(settings ?? {})) {
    if (name in SETTINGS) asked[SETTINGS[name]] = value;
    else if (name === "user" && upstream === "anthropic") asked.metadata = { user_id: value };
    else if (!isUsual(name, value)) throw new NotSupported(`settings.${name}: StreamOptions have none`);
  }
  if (format && format.kind !== "text") throw new NotSupported(`response_format ${format.kind}: StreamOptions have none`);
  if (choice?.parallel === false) throw new NotSupported("tool_choice.parallel");
  if (thinking && !model.reasoning) throw new NotSupported("thinking: this model has none by its row");
  const asking = { thinking: thinking && leveled(thinking), choice: choice ?? {}, most: asked.maxTokens };
  return { ...asked, ...PROVIDERS[upstream].options(asking, model) };
}

// As many tokens as the model likes, at a level (Anthropic's effort): what it is to like is the level.
function leveled({ budget, ...asked }) {
  return asked.level && budget < 0 ? asked : { ...asked, budget };
}

// What says the same as nothing does
function isUsual(name, value) {
  return (name === "n" && value === 1) || (name === "modalities" && value.length === 1 && value[0] === "text");
}

function openaiOptions({ thinking, choice: { mode, names } }, model) {
  const asked = {};
  if (mode === "named") asked.toolChoice = { type: "function", function: { name: names[0] } };
  else if (mode) asked.toolChoice = oneOf(mode, { auto: "auto", none: "none", required: "required" });
  const { level, budget } = thinking ?? {};
  const isOff = budget === 0 && typeof model.thinkingLevelMap?.off === "string"; // without an effort it sends that
  if (budget != null && !isOff) throw new NotSupported("thinking.budget: OpenAICompletionsOptions have an effort");
  if (level && !isOff) asked.reasoningEffort = levelOf(level, model);
  return asked;
}

function anthropicOptions({ thinking, choice: { mode, names }, most }, model) {
  const asked = {};
  if (mode === "named") asked.toolChoice = { type: "tool", name: names[0] };
  else if (mode) asked.toolChoice = oneOf(mode, { auto: "auto", none: "none", required: "any" });
  if (!thinking) return asked;
  const { level, budget, include } = thinking;
  if (include != null) asked.thinkingDisplay = include ? "summarized" : "omitted";
  if (budget === 0) return { ...asked, thinkingEnabled: false };
  if (budget == null && !level && !include) return asked;
  if (ADAPTIVE.test(model.id)) {
    if (budget > 0) throw new NotSupported("thinking.budget: ignored for models that think adaptively");
    return { ...asked, thinkingEnabled: true, ...(level ? { effort: effortOf(level, model) } : {}) };
  }
  if (budget < 0) throw new NotSupported("thinking.budget -1: this model has no adaptive thinking");
  const instead = level ? ANTHROPIC_BUDGETS[levelOf(level, model)] : undefined;
  const thinkingBudgetTokens = budget ?? instead;
  if (budget == null && instead >= most) throw new NotSupported(`thinking.level ${level}: ${instead} of ${most} tokens`);
  return { ...asked, thinkingEnabled: true, thinkingBudgetTokens };
}

// max is an AnthropicEffort, and no level. What a row says of a level stands before the table, as in streamSimple: xhigh of Opus 4.6.
function effortOf(level, model) {
  if (level === "max") return level;
  const known = levelOf(level, model);
  return model.thinkingLevelMap?.[known] ?? EFFORTS[known];
}

function googleOptions({ thinking, choice: { mode } }, model) {
  const asked = mode ? { toolChoice: oneOf(mode, { auto: "auto", none: "none", required: "any" }) } : {};
  if (!thinking) return asked;
  const { level, budget, include } = thinking;
  if (budget == null && !level && !include) return asked;
  if (budget === 0) {
    const least = /gemini-2\.5-pro/.test(model.id) ? { enabled: true, budgetTokens: LEAST_BUDGET_OF_PRO } : { enabled: false };
    return { ...asked, thinking: least };
  }
  if (include === false) throw new NotSupported("thinking.include false: it asks for the thoughts where it asks for thinking");
  const instead = budget == null && /gemini-[12]\b/.test(model.id) && level ? GOOGLE_BUDGETS[levelOf(level, model)] : undefined;
  if (budget != null || instead != null) return { ...asked, thinking: { enabled: true, budgetTokens: budget ?? instead } };
  return { ...asked, thinking: { enabled: true, level: level && levelOf(level, model).toUpperCase() } };
}

function oneOf(mode, modes) {
  if (!(mode in modes)) throw new NotSupported(`tool_choice ${mode}`);
  return modes[mode];
}

// As streamSimple does: a level that the model has none of by its row is the next one. xhigh is of models that say so.
function levelOf(level, model) {
  if (!LEVELS.includes(level)) throw new NotSupported(`thinking.level ${level}`);
  return clampThinkingLevel(model, level);
}

function contextOf({ system, turns, tools }, model) {
  const systemPrompt = system?.length ? system.join("\n") : undefined;
  return { systemPrompt, messages: turns.flatMap((turn) => messages(turn, model)), tools: tools?.map(declared) };
}

function declared({ name, description, parameters }) {
  return { name, description: description ?? "", parameters: parameters ?? { type: "object", properties: {} } };
}

// A turn is several messages where results of calls stand beside the user's words.
function messages({ role, parts, keep }, model) {
  if (role === "assistant") return [keep ?? saidBefore(parts, model)];
  if (role === "system") throw new NotSupported("turns.system: a Context has one systemPrompt");
  const made = [];
  for (const part of parts) {
    if (part.tool_result) made.push(returned(part.tool_result));
    else if (made.at(-1)?.role === "user") made.at(-1).content.push(asked(part));
    else made.push({ role: "user", content: [asked(part)], timestamp: Date.now() });
  }
  return made;
}

function asked({ text, media: one, ...other }) {
  if (text != null) return { type: "text", text };
  if (one) return image(one);
  throw new NotSupported(`in the user's turn: ${Object.keys(other)}`);
}

function image({ mime, data, uri }) {
  if (uri != null) throw new NotSupported(`turns.media.uri: ${uri}: an ImageContent has data`);
  if (!mime.startsWith("image/") || mime.endsWith("*")) throw new NotSupported(`media of type ${mime || "unknown"}`);
  return { type: "image", data, mimeType: mime };
}

// "Tool results use content blocks and can include both text and images", an object as JSON
function returned({ id, name, value, media: files, is_error: failed, cited }) {
  if (cited?.length) throw new NotSupported("search results in the result of a call");
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const said = text === "" && files?.length ? [] : [{ type: "text", text }];
  const content = [...said, ...(files ?? []).map(image)];
  const call = { toolCallId: id ?? "", toolName: name ?? "" };
  return { role: "toolResult", ...call, content, isError: failed ?? false, timestamp: Date.now() };
}

// A message of the model that the caller wrote down, as its own answers are. It says which provider's it is: Claude signs thoughts,
// Gemini calls and texts ("Cross-Provider Handoffs").
function saidBefore(parts, model) {
  const byClaude = parts.some(({ reasoning, redacted, signature }) => redacted != null || (reasoning != null && signature));
  const byGemini = parts.some(({ reasoning, signature }) => reasoning == null && signature);
  if (byClaude && byGemini) throw new NotSupported("signatures of two providers in one message");
  let { api, provider, id } = model;
  const owner = (byClaude && PROVIDERS.anthropic) || (byGemini && PROVIDERS.gemini);
  if (owner && owner.api !== api) [api, provider, id] = [owner.api, owner.provider, ""];
  const content = parts.map((part) => block(part, api));
  const stopReason = content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
  const usage = { ...NO_USAGE, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
  return { role: "assistant", content, api, provider, model: id, usage, stopReason, timestamp: Date.now() };
}

function block({ text, reasoning, redacted, tool_call: call, signature, ...other }, api) {
  if (text != null) return { type: "text", text, ...(signature ? { textSignature: signature } : {}) };
  if (reasoning != null) {
    const thinkingSignature = signature || (api === "openai-completions" ? CHAT_FIELDS[0] : undefined);
    return { type: "thinking", thinking: reasoning, ...(thinkingSignature ? { thinkingSignature } : {}) };
  }
  if (redacted != null) return { type: "thinking", thinking: "[Reasoning redacted]", thinkingSignature: redacted, redacted: true };
  if (!call) throw new NotSupported(`in the model's turn: ${Object.keys(other)}`);
  const signed = signature ? { thoughtSignature: signature } : {};
  return { type: "toolCall", id: call.id ?? "", name: call.name, arguments: parsed(call), ...signed };
}

// The arguments of a ToolCall are an object.
function parsed({ args, args_text: text }) {
  if (text == null) return args ?? {};
  try {
    const found = JSON.parse(text || "{}");
    if (found && typeof found === "object" && !Array.isArray(found)) return found;
  } catch {
    // told below
  }
  throw new NotSupported("arguments in the history that are no object");
}

// The answer --------------------------------------------------------------------------------------------------------

function answer(message, sent) {
  const parts = message.content.map(heard).filter(({ text, reasoning, signature }) => signature || (text !== "" && reasoning !== ""));
  return { ...(parts.length ? { parts } : {}), ...ended(message, sent) };
}

// Blocks are told apart by contentIndex. Signatures, redacted thoughts and calls are whole at the end of their block.
async function* events(found, sent) {
  for await (const event of found) {
    const { type, delta } = event;
    if (type === "text_delta" && delta) yield { parts: [{ text: delta }] };
    else if (type === "thinking_delta" && delta) yield { parts: [{ reasoning: delta }] };
    else if (type === "toolcall_end") yield { parts: [heard(event.toolCall)] };
    else if (type === "text_end" || type === "thinking_end") yield* closed(event.partial.content[event.contentIndex]);
    else if (type === "done") yield ended(event.message, sent);
    else if (type === "error") yield ended(event.error, sent);
  }
}

function* closed(said) {
  const { text, reasoning, redacted, signature } = heard(said);
  if (redacted != null) yield { parts: [{ redacted }] };
  else if (signature && text != null) yield { parts: [{ text: "", signature }] };
  else if (signature && reasoning != null) yield { parts: [{ reasoning: "", signature }] };
}

function heard(said) {
  if (said.type === "text") return { text: said.text, signature: said.textSignature };
  if (said.type === "toolCall") {
    const { id, name, arguments: args, thoughtSignature: signature } = said;
    const isObject = args && typeof args === "object" && !Array.isArray(args);
    return { tool_call: { id, name, ...(isObject ? { args } : { args_text: JSON.stringify(args) }) }, signature };
  }
  const { thinking, thinkingSignature, redacted } = said;
  if (redacted) return { redacted: thinkingSignature };
  return { reasoning: thinking, signature: CHAT_FIELDS.includes(thinkingSignature) ? undefined : thinkingSignature || undefined };
}

function ended(message, sent) {
  const { stopReason, usage, responseId, responseModel, model, api } = message;
  const isError = stopReason === "error" || stopReason === "aborted";
  if (isError && !sent.payload) throw new Error(message.errorMessage);
  return {
    ...(isError ? failed(message.errorMessage) : { finish: FINISH[stopReason] ?? "other" }),
    usage: counted(usage),
    id: responseId || undefined,
    // responseModel is there where it is not the one that was asked; the other providers' it does not read.
    model: responseModel ?? (responseId && api === "openai-completions" ? model : undefined),
    keep: isError && !message.content.length ? undefined : message, // also of one that broke off: "Continuing After Abort"
  };
}

// Its counts are 0 where there was none.
function counted({ input, output, cacheRead, cacheWrite, totalTokens }) {
  if (!input && !output && !cacheRead && !cacheWrite && !totalTokens) return undefined;
  return {
    prompt: input + cacheRead + cacheWrite,
    completion: output,
    total: totalTokens,
    cached: cacheRead || undefined,
    cache_write: cacheWrite || undefined,
  };
}

// An error is a message: that of the provider's SDK, which begins with the status (OpenAI, Anthropic) or is the provider's JSON
// (Google, and Anthropic in a stream); or pi-ai's own, which ends with the reason that the provider ended with.
function failed(message) {
  const { 1: native } = /^(?:Provider finish_reason|Unhandled stop reason): (\S+)$/.exec(message) ?? {};
  if (native) return { finish_native: native, error: { message, native, ...(native === "content_filter" && { kind: "content" }) } };
  const { 1: status } = /^([45]\d\d)\b/.exec(message) ?? {};
  const said = provided(message.slice(message.indexOf("{")));
  const word = said?.status ?? said?.type ?? undefined;
  const code = status ? Number(status) : Number.isInteger(said?.code) ? said.code : undefined;
  return { error: { message, status: code, native: typeof word === "string" ? word : undefined } };
}

function provided(text) {
  try {
    return JSON.parse(text).error;
  } catch {
    return undefined;
  }
}

serve(adapter);
