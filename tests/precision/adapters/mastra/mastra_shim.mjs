// Agent of @mastra/core as bridgecheck asks it: generate and stream of its documentation
// (https://mastra.ai/reference/agents/generate, https://mastra.ai/reference/streaming/agents/MastraModelOutput) for one step, with
// the Google provider of the AI SDK as its model (https://mastra.ai/docs/getting-started/model-providers), at the base URL of the
// recordings. It has types of its own, so the client's dialect is outcome (docs/outcome.md).
//
// Tools have no execute: the caller executes them. Answers are written down as the result of generate says them, of a stream as its
// chunks do (https://mastra.ai/reference/streaming/ChunkType); `keep` is response.messages, "response messages in model format".

import { createRequire } from "node:module";

import { createGoogle } from "@ai-sdk/google";
import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  NoContentGeneratedError,
  TypeValidationError,
} from "@ai-sdk/provider";
import { Agent } from "@mastra/core/agent";
import { ErrorCategory, MastraError } from "@mastra/core/error";
import { createTool } from "@mastra/core/tools";

import { NotSupported, serve } from "../../../../docs/examples/command_node/shim.mjs";

const versionOf = (name) => createRequire(import.meta.url)(`${name}/package.json`).version;

// Errors of the AI SDK that tell of what the provider answered; it lets them through.
const ANSWERED = [
  ...[APICallError, EmptyResponseBodyError, InvalidResponseDataError, JSONParseError, NoContentGeneratedError],
  TypeValidationError,
];
const FINISH = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
  error: "error",
  other: "other",
};
// Of modelSettings, which are CallSettings
const SETTINGS = {
  temperature: "temperature",
  top_p: "topP",
  top_k: "topK",
  presence_penalty: "presencePenalty",
  frequency_penalty: "frequencyPenalty",
  max_tokens: "maxOutputTokens",
  stop: "stopSequences",
  seed: "seed",
};
const LEVELS = ["minimal", "low", "medium", "high"]; // of thinkingConfig
// What stands for a level with models before Gemini 3, which have no levels (https://ai.google.dev/gemini-api/docs/thinking), by
// Google's own table: https://ai.google.dev/gemini-api/docs/openai#thinking (2026-11-23)
const THINKING_BUDGETS = { minimal: 1024, low: 1024, medium: 8192, high: 24576 };
const RETURNED = "returned with media"; // names what a function gave back, for toModelOutput
const LEAST_BUDGET_OF_PRO = 128; // Gemini 2.5 Pro cannot stop thinking: https://ai.google.dev/gemini-api/docs/thinking (2026-11-23)

const adapter = {
  name: "mastra",
  version: `${versionOf("@mastra/core")}, @ai-sdk/google ${versionOf("@ai-sdk/google")}`,
  routes: [["outcome", "gemini"]],
  claims: ["tools", "parallel_tools", "thinking", "signatures", "media_input", "media_output", "json_schema", "relay"],
  cannot_say: [
    ...["code", "order", "refusal", "text.segments", "error.retry_after", "response_format.name", "response_format.strict"],
    ...["settings.user", "tool_choice.parallel", "tool_choice.validated", "turns.media.detail", "turns.name"],
    ...["usage.cache_write", "usage.tool_prompt"],
  ],

  async call({ body, model, mode, base_url, api_key }, signal) {
    const google = createGoogle({ baseURL: `${base_url}/v1beta`, apiKey: api_key });
    const instructions = body.system?.length ? body.system.map((content) => ({ role: "system", content })) : "";
    const agent = new Agent({ id: "agent", name: "agent", instructions, model: google(model), tools: toolsOf(body) });
    const [history, options] = [body.turns.flatMap(messages), { ...optionsOf(body, model), abortSignal: signal }];
    if (mode === "stream") return events(agent, history, options);
    try {
      return answer(await agent.generate(history, options));
    } catch (error) {
      return { ...cutOff(error), error: failure(error) };
    }
  },
};

// The request -------------------------------------------------------------------------------------------------------

// One step, whose calls are the answer.
function optionsOf({ settings, thinking, tool_choice: choice, response_format: format }, model) {
  const asked = { maxSteps: 1, modelSettings: { maxRetries: 0 } };
  const google = {};
  for (const [name, value] of Object.entries(settings ?? {})) {
    if (name in SETTINGS) asked.modelSettings[SETTINGS[name]] = value;
    else if (name === "modalities") google.responseModalities = value.map((word) => word.toUpperCase());
    else if (name !== "n" || value !== 1) throw new NotSupported(`settings.${name}: modelSettings have none`);
  }
  if (thinking) google.thinkingConfig = thinkingConfig(thinking, model);
  if (Object.keys(google).length) asked.providerOptions = { google };
  if (choice?.mode) asked.toolChoice = toolChoice(choice);
  if (format?.kind === "json_object") throw new NotSupported("response_format json_object: structuredOutput takes a schema");
  if (format?.kind === "json_schema") asked.structuredOutput = { schema: format.schema };
  return asked;
}

// https://ai-sdk.dev/providers/ai-sdk-providers/google-generative-ai: a budget for Gemini 2.5, a level for Gemini 3.
function thinkingConfig({ level, budget, include }, model) {
  if (budget === 0) ({ level, budget } = leastThinking(model));
  const instead = budget == null && /gemini-[12]\b/.test(model) ? THINKING_BUDGETS[level] : undefined;
  if (instead != null) return { thinkingBudget: instead, includeThoughts: include };
  if (level && !LEVELS.includes(level)) throw new NotSupported(`thinking.level ${level}`);
  return { thinkingBudget: budget, includeThoughts: include, thinkingLevel: level };
}

// Gemini 3 cannot stop thinking either: https://ai.google.dev/gemini-api/docs/thinking (2026-11-23)
function leastThinking(model) {
  if (/gemini-[3-9]/.test(model)) return { level: /gemini-[3-9].*-pro/.test(model) ? "low" : "minimal" };
  return { budget: /gemini-2\.5-pro/.test(model) ? LEAST_BUDGET_OF_PRO : 0 };
}

// A tool without execute is executed elsewhere, and toModelOutput says what the model sees of a result that comes back with media:
// https://mastra.ai/reference/tools/create-tool, https://mastra.ai/docs/agents/tools#shape-output-for-the-model
function toolsOf({ tools = [], turns }) {
  const results = turns.flatMap(({ parts }) => parts.flatMap(({ tool_result: result }) => result ?? []));
  const seen = new Set(results.filter(({ media: files }) => files?.length).map(({ name }) => name));
  const declared = new Set(tools.map(({ name }) => name));
  if (!seen.isSubsetOf(declared)) throw new NotSupported("media in the result of a tool that is not declared");
  return Object.fromEntries(
    tools.map(({ name, description, parameters, strict }) => {
      const inputSchema = parameters ?? { type: "object", properties: {} };
      const shape = seen.has(name) ? { toModelOutput: modelOutput } : {};
      return [name, createTool({ id: name, description: description ?? "", inputSchema, strict, ...shape })];
    }),
  );
}

function modelOutput(output) {
  if (!output?.[RETURNED]) return { type: typeof output === "string" ? "text" : "json", value: output };
  const { text, media: files } = output[RETURNED];
  const content = files.map(({ mime, data }) => ({ type: "media", mediaType: mime, data }));
  return { type: "content", value: [...(text ? [{ type: "text", text }] : []), ...content] };
}

function toolChoice({ mode, names }) {
  if (mode === "named") return { type: "tool", toolName: names[0] };
  if (mode === "allowed" || mode === "validated") throw new NotSupported(`tool_choice ${mode}`);
  return mode;
}

// A turn is several messages where results of calls stand beside the user's words.
function messages({ role, parts, keep }) {
  if (role === "assistant") return keep ?? [{ role, content: parts.map(saidBefore) }];
  if (role === "system") return parts.map(({ text }) => ({ role, content: text }));
  const made = [];
  for (const part of parts) {
    const as = part.tool_result ? "tool" : "user";
    if (made.at(-1)?.role !== as) made.push({ role: as, content: [] });
    made.at(-1).content.push(part.tool_result ? returned(part.tool_result) : asked(part));
  }
  return made;
}

function asked({ text, media: one, detail, ...other }) {
  if (text != null) return { type: "text", text };
  if (!one) throw new NotSupported(`in the user's turn: ${Object.keys(other)}`);
  const made = media(one);
  return made.type === "file" && detail?.filename ? { ...made, filename: detail.filename } : made;
}

// A message of the model that the caller wrote down. Claude signs reasoning, Gemini calls and texts; each signature stands where
// its provider has it.
function saidBefore({ text, reasoning, redacted, tool_call: call, media: one, signature, ...other }) {
  const signed = signature == null ? {} : { providerOptions: { google: { thoughtSignature: signature } } };
  if (text != null) return { type: "text", text, ...signed };
  if (reasoning != null) {
    const options = signature == null ? {} : { providerOptions: { anthropic: { signature } } };
    return { type: "reasoning", text: reasoning, ...options };
  }
  if (redacted != null) {
    return { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: redacted } } };
  }
  if (one) return { ...media(one), ...signed };
  if (!call) throw new NotSupported(`in the model's turn: ${Object.keys(other)}`);
  return { type: "tool-call", toolCallId: call.id, toolName: call.name, input: parsed(call), ...signed };
}

// The args of a call are an object.
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

function returned({ id, name, value, media: files, is_error: failed, cited }) {
  if (cited?.length) throw new NotSupported("search results in the result of a call");
  if (failed && files?.length) throw new NotSupported("media in the result of a call that failed");
  const result = { type: "tool-result", toolCallId: id ?? "", toolName: name ?? "" };
  const kind = typeof value === "string" ? "text" : "json";
  if (!files?.length) return { ...result, output: { type: failed ? `error-${kind}` : kind, value } };
  if (files.some(({ uri }) => uri != null)) throw new NotSupported("an address in the result of a call");
  const text = kind === "text" ? value : JSON.stringify(value);
  return { ...result, output: { type: "json", value: { [RETURNED]: { text, media: files } } } };
}

// https://mastra.ai/reference/agents/generate#analyzing-images; any other type of file is a file.
function media({ mime, data, uri }) {
  if (uri != null && !/^[a-z]+:\/\//i.test(uri)) throw new NotSupported(`turns.media.uri: ${uri}: an address, no id of a file`);
  const known = mime && !mime.endsWith("*") ? { mediaType: mime } : {};
  const content = uri != null ? new URL(uri) : data;
  if (mime.startsWith("image/")) return { type: "image", image: content, ...known };
  if (!known.mediaType) throw new NotSupported("media whose type is not known");
  return { type: "file", data: content, ...known };
}

// The answer --------------------------------------------------------------------------------------------------------

function answer(result) {
  if (result.error) return { ...cutOff(result.error), error: failure(result.error) };
  const parts = [
    ...result.reasoning.map(({ payload }) => ({ reasoning: payload.text, ...signed(payload) })),
    ...(result.text ? [{ text: result.text }] : []),
    ...result.files.map(({ payload }) => file(payload)),
    ...result.toolCalls.filter(({ payload }) => !payload.providerExecuted).map(({ payload }) => called(payload)),
  ];
  return { parts, ...ended(result), ...cited(result.sources.map(({ payload }) => payload)) };
}

async function* events(agent, history, options) {
  const [sources, told] = [[], new Map()];
  let [last, began] = [undefined, false];
  try {
    const result = await agent.stream(history, options);
    for await (const { type, payload } of result.fullStream) {
      if (type === "error") {
        yield { finish: cutOff(payload.error).finish, error: failure(payload.error, began) };
        return;
      }
      if (type === "source") sources.push(payload);
      if (type === "finish") last = payload;
      const parts = heard(type, payload, told);
      began ||= parts.length > 0;
      if (parts.length) yield { parts };
    }
    const native = last?.stepResult.rawReason;
    yield { ...ended({ ...(await whole(result)), rawFinishReason: native }), ...cited(sources) };
  } catch (error) {
    yield { error: failure(error, began) };
  }
}

async function whole(result) {
  const [finishReason, usage, response] = await Promise.all([result.finishReason, result.usage, result.response]);
  return { finishReason, usage, response };
}

// What a chunk says. A signature that stands only at the start or the end of a text, or of reasoning, is told at its end.
function heard(type, payload, told) {
  const [, kind, place] = /^(text|reasoning)-(start|delta|end)$/.exec(type) ?? [];
  if (type === "file") return [file(payload)];
  if (type === "tool-call") return payload.providerExecuted ? [] : [called(payload)];
  if (!kind) return [];
  const name = kind === "text" ? "text" : "reasoning";
  const { signature } = signed(payload);
  if (place === "delta") {
    if (signature) told.set(payload.id, null);
    return payload.text || signature ? [{ [name]: payload.text, signature }] : [];
  }
  const held = told.has(payload.id) ? told.get(payload.id) : signature;
  if (place === "start") {
    if (signature) told.set(payload.id, signature);
    return [];
  }
  return held ? [{ [name]: "", signature: held }] : [];
}

function signed({ providerMetadata }) {
  const signature = providerMetadata?.google?.thoughtSignature;
  return signature ? { signature } : {};
}

function called(payload) {
  const { toolCallId, toolName, args } = payload;
  const given = typeof args === "string" ? { args_text: args } : { args };
  return { tool_call: { id: toolCallId, name: toolName, ...given }, ...signed(payload) };
}

function file(payload) {
  const data = payload.base64 ?? (typeof payload.data === "string" ? payload.data : Buffer.from(payload.data).toString("base64"));
  return { media: { mime: payload.mimeType, data }, ...signed(payload) };
}

function ended({ finishReason, rawFinishReason, usage, response }) {
  return {
    finish: finishReason && (FINISH[finishReason] ?? "other"),
    finish_native: rawFinishReason,
    usage: usage && {
      prompt: usage.inputTokens,
      completion: usage.outputTokens,
      total: usage.totalTokens,
      cached: usage.cachedInputTokens,
      reasoning: usage.reasoningTokens,
    },
    model: response?.modelId || undefined,
    id: response?.id || undefined,
    keep: response?.messages,
  };
}

function cited(sources) {
  return sources.length ? { citations: sources } : {};
}

// An object that the model did not write to its end: the error has the text and why it ended in its details.
function cutOff(error) {
  const { value, finishReason } = error?.id === "STRUCTURED_OUTPUT_TRUNCATED" ? error.details : {};
  return { parts: value ? [{ text: value }] : undefined, finish: FINISH[finishReason] };
}

// What the provider answered with, and what Mastra makes of an answer, is an error; anything else that is thrown is a breakdown,
// and told as one. An error that the provider sends in a stream is an Error with a statusCode and its data.
function failure(error, began = false) {
  const ofProvider = ANSWERED.some((kind) => kind.isInstance(error)) || typeof error?.statusCode === "number";
  const ofMastra = error instanceof MastraError && error.category !== ErrorCategory.USER;
  if (!ofProvider && !ofMastra && !began) throw error;
  const { message, statusCode: status, data, responseHeaders } = error;
  const [wait, native] = [Number.parseFloat(responseHeaders?.["retry-after"]), data?.error?.status ?? data?.status];
  return {
    message: String(message ?? error),
    status: status >= 400 ? status : undefined,
    native: typeof native === "string" ? native : undefined,
    retry_after: wait >= 0 ? wait : undefined,
  };
}

serve(adapter);
