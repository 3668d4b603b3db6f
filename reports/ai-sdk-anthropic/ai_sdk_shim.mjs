// The AI SDK with its Anthropic provider as bridgecheck asks it: generateText and streamText of their documentation
// (https://ai-sdk.dev/docs/ai-sdk-core/generating-text, https://ai-sdk.dev/providers/ai-sdk-providers/anthropic), at the base
// URL of the recordings. It has types of its own, so the client's dialect is outcome (docs/outcome.md).
//
// `keep` is responseMessages, which the documentation tells callers to add to the conversation
// (https://ai-sdk.dev/docs/ai-sdk-core/tools-and-tool-calling#response-messages).

import { createRequire } from "node:module";

import { createAnthropic } from "@ai-sdk/anthropic";
import {
  AISDKError,
  APICallError,
  DownloadError,
  generateText,
  InvalidArgumentError,
  InvalidPromptError,
  jsonSchema,
  MissingToolResultsError,
  Output,
  StreamProviderError,
  streamText,
  tool,
  UnsupportedFunctionalityError,
} from "ai";

import { NotSupported, serve } from "../../docs/examples/command_node/shim.mjs";

const versionOf = (name) => createRequire(import.meta.url)(`${name}/package.json`).version;

// What it refuses without asking the provider. It downloads addresses that are no images and no PDF; the run is offline.
const REFUSALS = [
  ...[DownloadError, InvalidArgumentError, InvalidPromptError, MissingToolResultsError, UnsupportedFunctionalityError],
];
// interrupted: "provider stream ended without a completion signal; output may be incomplete"
const FINISH = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
  error: "error",
  interrupted: "incomplete",
  other: "other",
};
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
const LEVELS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

const adapter = {
  name: "ai-sdk-anthropic",
  version: `${versionOf("@ai-sdk/anthropic")}, ai ${versionOf("ai")}`,
  routes: [["outcome", "anthropic"]],
  claims: ["tools", "parallel_tools", "thinking", "signatures", "media_input", "json_schema", "relay"],
  cannot_say: [
    ...["code", "refusal", "response_format.strict", "settings.modalities", "tool_choice.validated"],
    ...["turns.media.detail", "turns.name", "usage.tool_prompt"],
  ],

  async call({ body, model, mode, base_url, api_key }, signal) {
    const anthropic = createAnthropic({ baseURL: `${base_url}/v1`, apiKey: api_key });
    const asked = { model: anthropic(model), ...question(body), maxRetries: 0, abortSignal: signal };
    if (mode === "stream") return events(asked);
    try {
      return answer(await generateText(asked));
    } catch (error) {
      return { error: failure(known(error)) };
    }
  },
};

// The request -------------------------------------------------------------------------------------------------------

// https://ai-sdk.dev/docs/ai-sdk-core/settings, https://ai-sdk.dev/docs/foundations/prompts
function question(body) {
  const asked = { messages: body.turns.flatMap(messages), allowSystemInMessages: true };
  if (body.system) asked.instructions = body.system.map((content) => ({ role: "system", content }));
  if (body.tools) asked.tools = Object.fromEntries(body.tools.map(declared));
  if (body.tool_choice?.mode) asked.toolChoice = toolChoice(body.tool_choice);
  if (body.response_format) asked.output = output(body.response_format);
  const anthropic = {};
  for (const [name, value] of Object.entries(body.settings ?? {})) {
    if (name in SETTINGS) asked[SETTINGS[name]] = value;
    else if (name === "user") anthropic.metadata = { userId: value };
    else throw new NotSupported(`settings.${name}`);
  }
  if (body.tool_choice?.parallel != null) anthropic.disableParallelToolUse = !body.tool_choice.parallel;
  Object.assign(asked, reasoning(body.thinking ?? {}, anthropic));
  if (Object.keys(anthropic).length) asked.providerOptions = { anthropic };
  return asked;
}

// A level by itself is the setting that all providers share (https://ai-sdk.dev/docs/ai-sdk-core/reasoning); a budget, and a
// level beside one, are options of this provider (https://ai-sdk.dev/providers/ai-sdk-providers/anthropic#reasoning).
function reasoning({ level, budget, include }, options) {
  if (budget === 0) return { reasoning: "none" };
  if (budget == null && level) {
    if (!LEVELS.includes(level)) throw new NotSupported(`thinking.level ${level}`);
    if (include === false) throw new NotSupported("thinking.include beside a level");
    return { reasoning: level };
  }
  if (budget > 0) {
    if (include === false) throw new NotSupported("thinking.include beside a budget: display is of adaptive thinking");
    options.thinking = { type: "enabled", budgetTokens: budget };
  } else if (budget != null || include) {
    const display = include == null ? {} : { display: include ? "summarized" : "omitted" };
    options.thinking = { type: "adaptive", ...display };
  }
  if (level) options.effort = level;
  return {};
}

function declared({ name, description, parameters, strict }) {
  return [name, tool({ description, strict, inputSchema: jsonSchema(parameters ?? { type: "object", properties: {} }) })];
}

function toolChoice({ mode, names }) {
  if (mode === "named") return { type: "tool", toolName: names[0] };
  if (mode === "allowed" || mode === "validated") throw new NotSupported(`tool_choice ${mode}`);
  return mode;
}

function output({ kind, schema, name }) {
  if (kind === "json_object") return Output.json();
  return kind === "json_schema" ? Output.object({ schema: jsonSchema(schema), name }) : Output.text();
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

function asked({ text, media: one, ...other }) {
  if (text != null) return { type: "text", text };
  if (one) return media(one);
  throw new NotSupported(`in the user's turn: ${Object.keys(other)}`);
}

// Claude signs reasoning, Gemini calls and texts; each signature stands where its provider has it.
function saidBefore({ text, reasoning: thought, redacted, tool_call: call, media: one, signature, ...other }) {
  const signed = signature == null ? {} : { providerOptions: { google: { thoughtSignature: signature } } };
  if (text != null) return { type: "text", text, ...signed };
  if (thought != null) {
    const options = signature == null ? {} : { providerOptions: { anthropic: { signature } } };
    return { type: "reasoning", text: thought, ...options };
  }
  if (redacted != null) return { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: redacted } } };
  if (one) return { ...media(one), ...signed };
  if (!call) throw new NotSupported(`in the model's turn: ${Object.keys(other)}`);
  const input = call.args_text == null ? (call.args ?? {}) : parsed(call.args_text);
  return { type: "tool-call", toolCallId: call.id, toolName: call.name, input, ...signed };
}

// The input of a ToolCallPart is a JSON value.
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new NotSupported("arguments in the history that are no JSON");
  }
}

// https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message#toolresultpart
function returned({ id, name, value, media: files, is_error: failed, cited }) {
  if (cited?.length) throw new NotSupported("search results in the result of a call");
  if (failed && files?.length) throw new NotSupported("media in the result of a call that failed");
  const result = { type: "tool-result", toolCallId: id, toolName: name ?? "" };
  const kind = typeof value === "string" ? "text" : "json";
  if (!files?.length) return { ...result, output: { type: failed ? `error-${kind}` : kind, value } };
  const text = kind === "text" ? value : JSON.stringify(value);
  return { ...result, output: { type: "content", value: [{ type: "text", text }, ...files.map(media)] } };
}

// An address as the provider knows it: a link, or the id of a file that was uploaded there
// (https://ai-sdk.dev/docs/foundations/prompts#file-parts, https://ai-sdk.dev/docs/ai-sdk-core/file-uploads).
function media({ mime, data, uri }) {
  if (uri == null) return { type: "file", mediaType: mime, data: { type: "data", data } };
  const link = /^[a-z]+:\/\//.test(uri);
  const at = link ? { type: "url", url: new URL(uri) } : { type: "reference", reference: { anthropic: uri } };
  return { type: "file", mediaType: mime || "application/octet-stream", data: at };
}

// The answer --------------------------------------------------------------------------------------------------------

function answer(result) {
  return { parts: result.content.flatMap(heard), ...ended(result), ...cited(result.content) };
}

async function* events(question) {
  let broke = false;
  try {
    const result = streamText(question);
    for await (const part of result.stream) {
      const parts = heard(part);
      if (parts.length) yield { parts };
      if (part.type !== "error") continue;
      if (REFUSALS.some((kind) => kind.isInstance(part.error))) throw part.error;
      broke = true;
      yield { error: failure(part.error) };
    }
    if (!broke) yield { ...ended(await whole(result)), ...cited(await result.content) };
  } catch (error) {
    yield { error: failure(known(error)) };
  }
}

async function whole(result) {
  const [finishReason, rawFinishReason, usage, { response }, responseMessages] = await Promise.all([
    ...[result.finishReason, result.rawFinishReason, result.usage, result.finalStep, result.responseMessages],
  ]);
  return { finishReason, rawFinishReason, usage, response, responseMessages };
}

// What a part of the content, or of the stream, says: the same names stand for the same in both. A stream tells redacted
// reasoning where its block starts, and a signature in a delta without text.
function heard(part) {
  const { signature, redactedData: redacted } = part.providerMetadata?.anthropic ?? {};
  const { type } = part;
  if (redacted != null && (type === "reasoning" || type === "reasoning-start")) return [{ redacted }];
  if (type === "text" || type === "text-delta") return part.text ? [{ text: part.text }] : [];
  if (type === "reasoning" || type === "reasoning-delta") {
    return part.text || signature ? [{ reasoning: part.text, signature }] : [];
  }
  if (type === "file") return [{ media: { mime: part.file.mediaType, data: part.file.base64 } }];
  if (type !== "tool-call" || part.providerExecuted) return [];
  const args = typeof part.input === "string" ? { args_text: part.input } : { args: part.input };
  return [{ tool_call: { id: part.toolCallId, name: part.toolName, ...args } }];
}

function ended({ finishReason, rawFinishReason, usage, response, responseMessages }) {
  return {
    finish: FINISH[finishReason],
    finish_native: rawFinishReason,
    usage: {
      prompt: usage.inputTokens,
      completion: usage.outputTokens,
      total: usage.totalTokens,
      cached: usage.inputTokenDetails.cacheReadTokens,
      cache_write: usage.inputTokenDetails.cacheWriteTokens,
      reasoning: usage.outputTokenDetails.reasoningTokens,
    },
    model: response.modelId,
    id: response.id,
    keep: responseMessages,
  };
}

// Citations stand at the texts that they are of; a citation of the web, or of a document, is a source besides
// (https://ai-sdk.dev/providers/ai-sdk-providers/anthropic#citations).
function cited(content) {
  const citations = content.flatMap((part) => (part.type === "text" ? (part.citations ?? []) : []));
  const found = citations.length ? citations : content.filter(({ type }) => type === "source");
  return found.length ? { citations: found } : {};
}

// Its own errors are answers, some of them refusals; anything else that is thrown is a breakdown, and told as one.
function known(error) {
  if (REFUSALS.some((kind) => kind.isInstance(error))) throw new NotSupported(error.message);
  if (!AISDKError.isInstance(error)) throw error;
  return error;
}

// An error as its caller sees it: words, and the status and headers where it has them
// (https://ai-sdk.dev/docs/reference/ai-sdk-errors/ai-api-call-error).
function failure(error) {
  const found = { message: String(error?.message ?? error) };
  if (APICallError.isInstance(error) || StreamProviderError.isInstance(error)) found.status = error.statusCode;
  const wait = Number.parseFloat(error?.responseHeaders?.["retry-after"]);
  if (wait >= 0) found.retry_after = wait;
  const native = error?.data?.error?.type ?? error?.type;
  if (typeof native === "string") found.native = native;
  return found;
}

serve(adapter);
