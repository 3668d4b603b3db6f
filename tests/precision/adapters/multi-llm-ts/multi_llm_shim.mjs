// multi-llm-ts as bridgecheck asks it: complete and generate of an LlmModel of its documentation
// (https://nbonamy.github.io/multi-llm-ts/guide/completion, .../guide/streaming), with its engines for Anthropic, Google and
// OpenAI, at the base URL of the recordings. It has types of its own, so the client's dialect is outcome (docs/outcome.md).
//
// The library executes calls itself and asks again. Here the caller executes them: the engines are its own, but for the second
// round, which has no chunks. complete tells of the calls that it executed no more than name and arguments, and nothing of the
// text beside them, so a request with tools goes to generate, as in the guide for conversations with calls
// (https://nbonamy.github.io/multi-llm-ts/guide/function-calling#tracking-tool-calls-in-streaming); it always streams.
//
// What its types (https://nbonamy.github.io/multi-llm-ts/api/types, dist/index.d.ts) have no place for is refused by name, or
// stands in cannot_say. The form of an answer is asked for with a Zod object, which no JSON Schema is, and not of Claude.

import { createRequire } from "node:module";

import { addUsages, Anthropic, Attachment, Google, LlmModel, logger, Message, OpenAI } from "multi-llm-ts";

import { NotSupported, serve } from "../../../../docs/examples/command_node/shim.mjs";

const require = createRequire(import.meta.url);
const { version } = require("./node_modules/multi-llm-ts/package.json");
// The SDKs as the library has them: their classes of errors are others where they are imported.
const { AnthropicError, APIError: AnthropicAPIError } = require("@anthropic-ai/sdk");
const { ApiError: GoogleAPIError } = require("@google/genai");
const { APIError: OpenAIAPIError, OpenAIError } = require("openai");

const ENGINES = { anthropic: oneRound(Anthropic), gemini: oneRound(Google), "openai-chat": oneRound(OpenAI) };

const MODELS_OF_OPENAI = /^(gpt|chatgpt|o\d)/;

// https://nbonamy.github.io/multi-llm-ts/guide/completion#finish-reasons
const FINISH = { stop: "stop", length: "length", content_filter: "content_filter", tool_calls: "tool_calls" };
// https://nbonamy.github.io/multi-llm-ts/guide/generation-options
const SETTINGS = { temperature: "temperature", top_p: "top_p", top_k: "top_k", max_tokens: "maxTokens" };
// "Pass arbitrary options directly to the provider", in its own words: .../guide/generation-options#custom-provider-options
const CUSTOM = {
  anthropic: { stop: "stop_sequences" },
  gemini: {
    stop: "stopSequences",
    seed: "seed",
    presence_penalty: "presencePenalty",
    frequency_penalty: "frequencyPenalty",
  },
  "openai-chat": {
    stop: "stop",
    seed: "seed",
    presence_penalty: "presence_penalty",
    frequency_penalty: "frequency_penalty",
    user: "user",
  },
};
const DEFAULTS = { n: "1", modalities: "text" }; // they say what it does without them
const EFFORTS = ["minimal", "low", "medium", "high"]; // of Chat Completions, as its OpenAI engine has them
// What stands for a level with models before Gemini 3, which have no levels (https://ai.google.dev/gemini-api/docs/thinking), by
// Google's own table: https://ai.google.dev/gemini-api/docs/openai#thinking (2026-11-23)
const THINKING_BUDGETS = { minimal: 1024, low: 1024, medium: 8192, high: 24576 };
const LEAST_BUDGET_OF_PRO = 128; // Gemini 2.5 Pro cannot stop thinking: https://ai.google.dev/gemini-api/docs/thinking (2026-11-23)
// https://nbonamy.github.io/multi-llm-ts/api/message#supported-mime-types
const IMAGES = ["image/jpeg", "image/png", "image/webp", "image/gif"];
const FILES = ["application/pdf"];
// https://nbonamy.github.io/multi-llm-ts/api/types#toolparametertype: integer is none of them, but among items, of any type
const PARAMETER_TYPES = ["string", "number", "boolean", "object", "array"];

const adapter = {
  name: "multi-llm-ts",
  version,
  routes: Object.keys(ENGINES).map((upstream) => ["outcome", upstream]),
  claims: ["tools", "parallel_tools", "thinking", "signatures", "media_input", "relay"],
  cannot_say: [
    ...["citations", "code", "order", "refusal", "stream.finish", "text.segments", "error.retry_after", "thinking.include"],
    ...["tools.strict", "tool_choice.validated", "turns.media.detail", "turns.media.uri", "turns.name", "turns.results.is_error"],
    ...["usage.cache_write", "usage.tool_prompt", "usage.total"],
  ],

  async call({ body, model, mode, upstream, base_url, api_key }, signal) {
    const engine = new ENGINES[upstream]({ apiKey: api_key, baseURL: base_url, maxRetries: 0 });
    if (upstream !== "gemini") engine.client.maxRetries = 0;
    const tools = (body.tools ?? []).map(declared);
    const options = { ...optionsOf(body, model, upstream), usage: true, abortSignal: signal };
    if (tools.length) options.toolExecutionDelegate = { getTools: () => tools, execute: async () => ({}) };
    const [llm, history] = [new LlmModel(engine, modelOf(engine, model, upstream, body)), thread(body)];
    if (mode === "stream") return events(engine, llm, history, options);
    if (tools.length) return whole(events(engine, llm, history, options));
    try {
      return answer(await llm.complete(history, options));
    } catch (error) {
      return { error: failure(error) };
    }
  },
};

// Its engines tell by the name what a model can (https://nbonamy.github.io/multi-llm-ts/api/llm-engine#buildmodel). Of other hosts'
// models behind the OpenAI engine the caller tells it: https://nbonamy.github.io/multi-llm-ts/api/types#chatmodel
function modelOf(engine, name, upstream, { thinking }) {
  if (upstream !== "openai-chat" || MODELS_OF_OPENAI.test(name)) return engine.buildModel(name);
  const reasoning = Boolean(thinking?.level);
  return { id: name, name, capabilities: { tools: true, vision: true, reasoning, caching: false } };
}

// An engine that is asked once. Its hook (https://nbonamy.github.io/multi-llm-ts/guide/hooks) shows the context of a round with
// calls, which holds the usage so far.
function oneRound(Engine) {
  return class extends Engine {
    context = undefined;
    isAnswered = false;

    constructor(config) {
      super(config);
      this.addHook("beforeToolCallsResponse", (context) => {
        this.context = context;
      });
    }

    async chat(...asked) {
      if (this.isAnswered) return { type: "text", usage: addUsages() };
      this.isAnswered = true;
      return super.chat(...asked);
    }

    async doStream(context) {
      if (this.isAnswered) {
        context.toolCalls = []; // as it does itself, before it asks
        return (async function* () {})();
      }
      this.isAnswered = true;
      return super.doStream(context);
    }
  };
}

// The request -------------------------------------------------------------------------------------------------------

function optionsOf({ settings, thinking, tool_choice: choice, response_format: format, tools }, model, upstream) {
  const [asked, custom] = [thinkingOptions(thinking ?? {}, model, upstream), {}];
  for (const [name, value] of Object.entries(settings ?? {})) {
    if (name in SETTINGS && !(name === "top_k" && upstream === "openai-chat")) asked[SETTINGS[name]] = value;
    else if (name in CUSTOM[upstream]) custom[CUSTOM[upstream][name]] = value;
    else if (name === "user" && upstream === "anthropic") custom.metadata = { user_id: value };
    else if (String(value) !== DEFAULTS[name]) throw new NotSupported(`settings.${name}`);
  }
  if (format?.kind === "json_schema") throw new NotSupported("response_format.schema: structuredOutput takes a Zod object");
  if (format?.kind === "json_object") Object.assign(custom, jsonObject(upstream));
  if (choice?.parallel != null) {
    if (upstream !== "openai-chat") throw new NotSupported("tool_choice.parallel: none of its tool choices");
    custom.parallel_tool_calls = choice.parallel;
  }
  if (choice?.mode) asked.toolChoice = toolChoice(choice);
  if (["required", "named"].includes(choice?.mode) && !tools?.length) throw new NotSupported("tool_choice without tools");
  if (Object.keys(custom).length) asked.customOpts = custom;
  return asked;
}

function jsonObject(upstream) {
  if (upstream === "anthropic") throw new NotSupported("response_format json_object: Anthropic has none");
  return upstream === "gemini" ? { responseMimeType: "application/json" } : { response_format: { type: "json_object" } };
}

function toolChoice({ mode, names }) {
  if (mode === "named") return { type: "tool", name: names[0] };
  if (mode === "allowed" || mode === "validated") throw new NotSupported(`tool_choice ${mode}: an LlmToolChoice has one name`);
  return { type: mode };
}

// https://nbonamy.github.io/multi-llm-ts/guide/generation-options: reasoningEffort is OpenAI's, reasoning and reasoningBudget
// are Anthropic's, thinkingBudget is Google's.
function thinkingOptions({ level, budget, include }, model, upstream) {
  if (upstream === "openai-chat") {
    if (budget != null) throw new NotSupported("thinking.budget: OpenAI has a reasoningEffort");
    if (level && !EFFORTS.includes(level)) throw new NotSupported(`thinking.level ${level}: no reasoningEffort of Chat`);
    return level ? { reasoningEffort: level } : {};
  }
  if (upstream === "gemini") return geminiThinking({ level, budget, include }, model);
  if (level) throw new NotSupported("thinking.level: Anthropic has a reasoningBudget");
  if (budget < 0 || (budget == null && include)) throw new NotSupported("thinking.budget: a reasoningBudget counts tokens");
  return budget ? { reasoning: true, reasoningBudget: budget } : { reasoning: false };
}

// "Enables includeThoughts and sets the thinking budget"; that of Gemini 3 cannot be 0.
function geminiThinking({ level, budget, include }, model) {
  const isOld = /gemini-[12]\b/.test(model);
  if (level && budget == null && isOld && level in THINKING_BUDGETS) return { thinkingBudget: THINKING_BUDGETS[level] };
  if (level) throw new NotSupported(`thinking.level ${level}: Google has a thinkingBudget`);
  if (budget === 0 && !isOld) throw new NotSupported(`thinking.budget: ${model} cannot stop thinking`);
  if (budget === 0 && /gemini-2\.5-pro/.test(model)) return { thinkingBudget: LEAST_BUDGET_OF_PRO };
  if (budget == null && include) throw new NotSupported("thinking.include: thoughts are included beside a thinkingBudget");
  return budget == null ? {} : { thinkingBudget: budget };
}

// A PluginTool: https://nbonamy.github.io/multi-llm-ts/api/types#plugintool
function declared({ name, description, parameters: schema }) {
  const { type: kind, properties, required, $schema, ...other } = schema ?? {};
  if (kind && kind !== "object") throw new NotSupported(`tools.parameters: type ${kind}: a tool has named parameters`);
  const made = parametersOf(properties ?? {}, required ?? []);
  refuseOthers(other);
  return { name, description: description ?? "", parameters: made };
}

function parametersOf(properties, required) {
  return Object.entries(properties).map(([name, { type, description, enum: values, items, ...other }]) => {
    refuseOthers(other);
    if (!PARAMETER_TYPES.includes(type)) throw new NotSupported(`tools.parameters: type ${type}: no ToolParameterType`);
    if (values?.some((value) => typeof value !== "string")) throw new NotSupported("tools.parameters: enum of other than texts");
    const made = { name, type, description: description ?? "", required: required.includes(name) };
    if (values) made.enum = values;
    if (items) made.items = itemsOf(items);
    return made;
  });
}

// Items have a type, and the parameters of an object or, of an array, the type of its own items.
function itemsOf({ type, properties, required, items, ...other }) {
  refuseOthers(other);
  if (properties) return { type, properties: parametersOf(properties, required ?? []) };
  if (!items) return { type };
  const { type: inner, ...more } = items;
  refuseOthers(more);
  return { type, items: { type: inner } };
}

function refuseOthers(keywords) {
  const names = Object.keys(keywords);
  if (names.length) throw new NotSupported(`tools.parameters: ${names}: a PluginParameter has none`);
}

// Results stand in the message that called; so the guide keeps the messages of a conversation, and what each generate gave is a
// message (https://nbonamy.github.io/multi-llm-ts/guide/function-calling#multi-turn-conversations-with-tool-calls).
function thread({ system, turns }) {
  const made = system?.length ? [new Message("system", system.join("\n"))] : [];
  for (const { role, parts } of turns) {
    if (role === "system") made.push(new Message("system", parts.map(({ text }) => text).join("")));
    else if (role === "user") addUserTurn(made, parts);
    else {
      const message = new Message("assistant");
      parts.forEach((part) => addToAssistant(message, part));
      made.push(message);
    }
  }
  return made;
}

// One message: its text, and its attachments behind. A text behind both begins the next.
function addUserTurn(made, parts) {
  let message;
  for (const { text, media: one, tool_result: result, ...other } of parts) {
    if (result) {
      addResult(made, result);
      continue;
    }
    if (!message || (text != null && message.content && message.attachments.length)) {
      message = new Message("user");
      made.push(message);
    }
    if (text != null) message.content += text;
    else if (one) message.attach(attachment(one));
    else throw new NotSupported(`in the user's turn: ${Object.keys(other)}`);
  }
}

function addResult(made, { id, value, media: files, cited }) {
  if (files?.length) throw new NotSupported("turns.results.media: the result of an LlmToolCall");
  if (cited?.length) throw new NotSupported("search results in the result of a call");
  const calls = made.flatMap(({ toolCalls }) => toolCalls);
  const call = calls.findLast((one) => one.id === id && one.result === undefined);
  if (!call) throw new NotSupported("turns.results: a result without a call: results stand in an LlmToolCall");
  call.result = value;
}

function addToAssistant(message, { text, reasoning, tool_call: call, signature, ...other }) {
  if (call) {
    const made = { id: call.id, function: call.name, args: parsed(call) };
    message.toolCalls.push(signature ? { ...made, thoughtSignature: signature } : made);
    return;
  }
  if (text == null && reasoning == null) throw new NotSupported(`in the model's turn: ${Object.keys(other)}`);
  message.appendText({ type: reasoning == null ? "content" : "reasoning", text: text ?? reasoning });
  if (signature && message.thoughtSignature && text !== "") throw new NotSupported("a second signature: a Message has one");
  if (signature) message.thoughtSignature ??= signature;
}

// The args of an LlmToolCall are those of a chunk, which are parsed.
function parsed({ args, args_text: text }) {
  if (text == null) return args ?? {};
  try {
    return JSON.parse(text || "{}");
  } catch {
    throw new NotSupported("arguments in the history that are no JSON");
  }
}

// Its content is base64; of a text it is the text.
function attachment({ mime, data, uri }) {
  if (uri != null) throw new NotSupported(`turns.media.uri: ${uri}: the content of an Attachment is what it shows`);
  if (mime.startsWith("text/")) return new Attachment(decoded(data), mime);
  if (![...IMAGES, ...FILES].includes(mime)) throw new NotSupported(`turns.media: ${mime}: no type of an Attachment`);
  return new Attachment(data, mime);
}

function decoded(data) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(data, "base64"));
  } catch {
    throw new NotSupported("turns.media: a text in another encoding than UTF-8");
  }
}

// The answer --------------------------------------------------------------------------------------------------------

// An LlmResponse.
function answer({ content, toolCalls, thoughtSignature: signature, finishReason, usage }) {
  const words = content || signature ? [{ text: content ?? "", signature }] : [];
  const calls = (toolCalls ?? []).map(({ name, params }) => ({ tool_call: { name, args: params } }));
  return { parts: [...words, ...calls], finish: FINISH[finishReason], usage: usage && counted(usage) };
}

// A call is told as preparing, with its signature, and as running, with its arguments. No chunk tells why the answer ended
// (stream.finish): https://nbonamy.github.io/multi-llm-ts/guide/streaming#chunk-types
async function* events(engine, llm, history, options) {
  const signatures = {};
  let usage;
  try {
    for await (const chunk of llm.generate(history, options)) {
      if (chunk.type === "usage") usage = chunk.usage;
      if (chunk.type === "tool" && chunk.thoughtSignature) signatures[chunk.id] = chunk.thoughtSignature;
      const parts = heard(chunk, signatures);
      if (parts.length) yield { parts };
    }
  } catch (error) {
    yield { error: failure(error) };
    return;
  }
  usage ??= engine.context?.usage;
  yield usage ? { usage: counted(usage) } : {};
}

// https://nbonamy.github.io/multi-llm-ts/guide/streaming#chunk-types
function heard({ type, text, thoughtSignature: signature, id, name, state, call }, signatures) {
  if (type === "content") return text || signature ? [{ text: text ?? "", signature }] : [];
  if (type === "reasoning") return text || signature ? [{ reasoning: text ?? "", signature }] : [];
  if (type !== "tool" || state !== "running") return [];
  return [{ tool_call: { id, name, args: call.params }, signature: signatures[id] }];
}

async function whole(found) {
  const [said, made] = [[], {}];
  for await (const { parts, ...last } of found) {
    said.push(...(parts ?? []));
    Object.assign(made, last);
  }
  return said.length || !made.error ? { parts: said, ...made } : made;
}

// An LlmUsage.
function counted(usage) {
  return {
    prompt: usage.prompt_tokens,
    completion: usage.completion_tokens,
    cached: usage.prompt_tokens_details?.cached_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens,
  };
}

// Its errors are those of the SDKs, and plain ones of its own; fetch tells a connection that broke as a TypeError with a cause,
// and JSON that is none is a SyntaxError. What an SDK does not send is an error of its own without a status.
function failure(error) {
  const { message, status, headers } = error;
  if (error instanceof AnthropicAPIError || error instanceof OpenAIAPIError) {
    const native = error.code ?? error.type ?? error.error?.error?.type;
    const told = { message, status: status >= 400 ? status : undefined, ...hint(headers) };
    return typeof native === "string" ? { ...told, native } : told;
  }
  if (error instanceof GoogleAPIError) return { message, status };
  if (error instanceof AnthropicError || error instanceof OpenAIError) return { message };
  if (error instanceof TypeError && error.cause) return { message: `${message}: ${error.cause.message}` };
  if (error instanceof SyntaxError || error?.constructor === Error) return { message };
  throw error;
}

function hint(headers) {
  const wait = Number.parseFloat(headers?.get?.("retry-after"));
  return wait >= 0 ? { retry_after: wait } : {};
}

logger.disable(); // it writes to standard output, where the answers stand
serve(adapter);
