// The AI SDK with its Google provider as bridgecheck asks it: generateText and streamText of their documentation, at the
// base URL of the recordings. It has types of its own, so the client's dialect is outcome (docs/outcome.md).
//
// `keep` is responseMessages, which the documentation tells callers to add to the conversation
// (https://ai-sdk.dev/docs/ai-sdk-core/tools-and-tool-calling#response-messages).

import { createRequire } from "node:module";

import { createGoogle } from "@ai-sdk/google";
import {
  AISDKError,
  APICallError,
  DownloadError,
  generateText,
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

// What it refuses without asking the provider. It downloads addresses that Gemini does not read itself; the run is offline.
const REFUSALS = [DownloadError, InvalidPromptError, MissingToolResultsError, UnsupportedFunctionalityError];
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

const adapter = {
  name: "ai-sdk-google",
  version: `${versionOf("@ai-sdk/google")}, ai ${versionOf("ai")}`,
  routes: [["outcome", "gemini"]],
  claims: ["tools", "parallel_tools", "thinking", "signatures", "media_input", "media_output", "json_schema", "relay"],
  cannot_say: [
    ...["refusal", "response_format.strict", "settings.user", "tool_choice.parallel", "tool_choice.validated"],
    ...["error.retry_after", "turns.media.detail", "turns.name", "usage.tool_prompt"],
  ],

  async call({ body, model, mode, base_url, api_key }, signal) {
    const google = createGoogle({ baseURL: `${base_url}/v1beta`, apiKey: api_key });
    const asked = { model: google(model), ...question(body), maxRetries: 0, abortSignal: signal };
    if (mode === "stream") return events(asked);
    try {
      return answer(await generateText(asked));
    } catch (error) {
      return { error: failure(known(error)) };
    }
  },
};

// The request -------------------------------------------------------------------------------------------------------

function question(body) {
  const asked = { messages: body.turns.flatMap(messages), allowSystemInMessages: true };
  if (body.system) asked.instructions = body.system.map((content) => ({ role: "system", content }));
  if (body.tools) asked.tools = Object.fromEntries(body.tools.map(declared));
  if (body.tool_choice?.mode) asked.toolChoice = toolChoice(body.tool_choice);
  if (body.response_format) asked.output = output(body.response_format);
  for (const [name, value] of Object.entries(body.settings ?? {})) {
    if (name === "n") throw new NotSupported("n: one answer a call");
    if (name in SETTINGS) asked[SETTINGS[name]] = value;
  }
  const { level, budget } = body.thinking ?? {};
  if (level) asked.reasoning = level;
  else if (budget === 0) asked.reasoning = "none";
  const google = providerOptions(body);
  if (Object.keys(google).length) asked.providerOptions = { google };
  return asked;
}

function providerOptions({ settings, thinking }) {
  const options = {};
  if (settings?.modalities) options.responseModalities = settings.modalities.map((word) => word.toUpperCase());
  const config = { thinkingBudget: thinking?.budget || undefined, includeThoughts: thinking?.include };
  if (config.thinkingBudget != null || config.includeThoughts != null) options.thinkingConfig = config;
  return options;
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

function returned({ id, name, value, media: files, is_error: failed, cited }) {
  if (cited?.length) throw new NotSupported("search results in the result of a call");
  if (failed && files?.length) throw new NotSupported("media in the result of a call that failed");
  const result = { type: "tool-result", toolCallId: id, toolName: name ?? "" };
  const kind = typeof value === "string" ? "text" : "json";
  if (!files?.length) return { ...result, output: { type: failed ? `error-${kind}` : kind, value } };
  const text = kind === "text" ? value : JSON.stringify(value);
  return { ...result, output: { type: "content", value: [{ type: "text", text }, ...files.map(media)] } };
}

// An address as the provider knows it: a link, or the id of a file that was uploaded there.
function media({ mime, data, uri }) {
  if (uri == null) return { type: "file", mediaType: mime, data: { type: "data", data } };
  const link = /^[a-z]+:\/\//.test(uri);
  const at = link ? { type: "url", url: new URL(uri) } : { type: "reference", reference: { google: uri } };
  return { type: "file", mediaType: mime || "application/octet-stream", data: at };
}

// The answer --------------------------------------------------------------------------------------------------------

function answer(result) {
  return { parts: result.content.flatMap(heard), ...ended(result), ...cited(result.sources) };
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
    if (!broke) yield { ...ended(await whole(result)), ...cited(await result.sources) };
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

// What a part of the content, or of the stream, says: the same names stand for the same in both.
function heard(part) {
  const signature = part.providerMetadata?.google?.thoughtSignature;
  const { type } = part;
  if (type === "text" || type === "text-delta") return said({ text: part.text, signature });
  if (type === "reasoning" || type === "reasoning-delta") return said({ reasoning: part.text, signature });
  if (type === "file") return [{ media: { mime: part.file.mediaType, data: part.file.base64 }, signature }];
  if (part.toolName === "code_execution") return ran(part);
  if (type !== "tool-call" || part.providerExecuted) return [];
  const args = typeof part.input === "string" ? { args_text: part.input } : { args: part.input };
  return [{ tool_call: { id: part.toolCallId, name: part.toolName, ...args }, signature }];
}

function ran({ type, input, output }) {
  if (type === "tool-call") return [{ code: { kind: "executable", text: input.code } }];
  return type === "tool-result" ? [{ code: { kind: "result", text: output.output } }] : [];
}

function said(part) {
  return part.text || part.reasoning || part.signature ? [part] : [];
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

function cited(sources) {
  return sources?.length ? { citations: sources } : {};
}

// Its own errors are answers, some of them refusals; anything else that is thrown is a breakdown, and told as one.
function known(error) {
  if (REFUSALS.some((kind) => kind.isInstance(error))) throw new NotSupported(error.message);
  if (!AISDKError.isInstance(error)) throw error;
  return error;
}

// An error as its caller sees it: words, and the status where it has one.
function failure(error) {
  const found = { message: String(error?.message ?? error) };
  if (APICallError.isInstance(error) || StreamProviderError.isInstance(error)) found.status = error.statusCode;
  const native = error?.data?.error?.status ?? error?.type;
  if (typeof native === "string") found.native = native;
  return found;
}

serve(adapter);
