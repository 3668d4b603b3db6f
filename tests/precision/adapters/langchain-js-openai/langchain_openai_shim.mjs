// ChatOpenAI of @langchain/openai as bridgecheck asks it: invoke and stream of its documentation
// (https://docs.langchain.com/oss/javascript/integrations/chat/openai), at the base URL of the recordings.
// It has types of its own, so the client's dialect is outcome (docs/outcome.md).
//
// Answers are written down as the content and the tool_calls of their message say them, of a stream as the content and the
// tool_call_chunks of its chunks do; `keep` is the message as LangChain stores it (mapChatMessagesToStoredMessages), so that
// it comes back with the next request as an agent would send it.

import { createRequire } from "node:module";

import { ContextOverflowError, LangChainError } from "@langchain/core/errors";
import {
  AIMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { concat } from "@langchain/core/utils/stream";
import { ChatOpenAI } from "@langchain/openai";
import { APIError, OpenAIError } from "openai";
import { ContentFilterFinishReasonError, LengthFinishReasonError } from "openai/error";

import { NotSupported, serve } from "../../../../docs/examples/command_node/shim.mjs";

const versionOf = (name) => createRequire(import.meta.url)(`${name}/package.json`).version;

// finish_reason of response_metadata is OpenAI's own word.
const FINISH = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
  content_filter: "content_filter",
};
// https://reference.langchain.com/javascript/interfaces/_langchain_openai.OpenAIChatInput.html
const SETTINGS = {
  temperature: "temperature",
  top_p: "topP",
  frequency_penalty: "frequencyPenalty",
  presence_penalty: "presencePenalty",
  max_tokens: "maxTokens",
  stop: "stop",
  user: "user",
};
const DEFAULTS = { n: "1", modalities: "text" }; // they say what it does without them
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"]; // of reasoning
// "ignored when not using a reasoning model", which it tells by the name (dist/utils/misc.js); those of OpenAI that do not reason; and
// those that can stop: https://developers.openai.com/api/docs/guides/reasoning
const REASONS = /^o\d|^gpt-[56](?!-chat)/;
const WITHOUT_EFFORT = /^gpt-(3|4|audio|\d-chat)/;
const CAN_STOP = /^gpt-5\.[1-9]|^gpt-6/;
// What it takes by another name: "audio blocks must have mime type of audio/wav or audio/mp3"
const AUDIO = { "audio/mpeg": "audio/mp3", "audio/x-wav": "audio/wav", "audio/wave": "audio/wav" };
// The signature of a call is Gemini's, and stands where messages of @langchain/google-genai have it.
const SIGNATURES = "__gemini_function_call_thought_signatures__";

const adapter = {
  name: "langchain-js-openai",
  version: `${versionOf("@langchain/openai")}, core ${versionOf("@langchain/core")}`,
  routes: [["outcome", "openai-chat"]],
  claims: ["tools", "parallel_tools", "thinking", "media_input", "json_schema", "relay"],
  cannot_say: [
    ...["code", "order", "settings.modalities", "settings.top_k", "thinking.include", "tool_choice.validated"],
    ...["usage.tool_prompt"],
  ],

  async call({ body, model, mode, base_url, api_key }, signal) {
    const history = messages(body);
    const fields = { model, apiKey: api_key, configuration: { baseURL: base_url }, maxRetries: 0 };
    const chat = prepared(new ChatOpenAI({ ...fields, ...parameters(body, model) }), body);
    if (mode === "stream") return events(chat, history, signal);
    try {
      return answer(await chat.invoke(history, { signal }));
    } catch (error) {
      return failure(error);
    }
  },
};

// The request -------------------------------------------------------------------------------------------------------

// Options of a call: https://reference.langchain.com/javascript/interfaces/_langchain_openai.ChatOpenAICallOptions.html
// The form of the answer is asked for with response_format, which withStructuredOutput sets; that has no tools beside it.
function prepared(chat, { tools, tool_choice: choice, response_format: format, settings }) {
  const options = choice ? toolChoice(choice) : {};
  if (settings?.seed != null) options.seed = settings.seed;
  if (format?.kind === "json_object") options.response_format = { type: "json_object" };
  if (format?.kind === "json_schema") {
    const { schema, strict, name = "extract" } = format; // which is its own name for one without
    options.response_format = { type: "json_schema", json_schema: { name, schema, strict } };
  }
  if (tools?.length) return chat.bindTools(tools.map(declared), options);
  return Object.keys(options).length ? chat.withConfig(options) : chat;
}

function parameters({ settings, thinking }, model) {
  const asked = thinking ? thinkingOptions(thinking, model) : {};
  for (const [name, value] of Object.entries(settings ?? {})) {
    if (name in SETTINGS) asked[SETTINGS[name]] = value;
    else if (name !== "seed" && String(value) !== DEFAULTS[name]) throw new NotSupported(`settings.${name}`);
  }
  return asked;
}

// A level is the effort of reasoning; thoughts in words are an option of the Responses API (reasoning.summary). For other makers'
// models behind the same API it stands in modelKwargs, "any additional parameters that are valid to pass" (dist/types.d.ts).
function thinkingOptions({ level, budget }, model) {
  if (budget == null && !level) return {};
  if (WITHOUT_EFFORT.test(model)) throw new NotSupported(`thinking: ${model} does not reason`);
  if (budget === 0 && CAN_STOP.test(model)) return { reasoning: { effort: "none" } };
  if (budget != null) throw new NotSupported("thinking.budget: reasoning has an effort");
  if (!EFFORTS.includes(level)) throw new NotSupported(`thinking.level ${level}`);
  return REASONS.test(model) ? { reasoning: { effort: level } } : { modelKwargs: { reasoning_effort: level } };
}

// A tool in OpenAI's own form, which bindTools takes.
function declared({ name, description, parameters: schema, strict }) {
  return { type: "function", function: { name, description, parameters: schema ?? { type: "object", properties: {} }, strict } };
}

// An OpenAIToolChoice is one of OpenAI's own or "any"; the functions that may be called stand in one of two modes:
// https://developers.openai.com/api/docs/guides/function-calling#allowed-tools
function toolChoice({ mode, names, parallel }) {
  const options = parallel == null ? {} : { parallel_tool_calls: parallel };
  if (!mode) return options;
  const functions = (names ?? []).map((name) => ({ type: "function", function: { name } }));
  if (mode === "named") return { ...options, tool_choice: functions[0] };
  if (mode === "allowed" || (mode === "auto" && functions.length)) {
    const allowed = { mode: mode === "auto" ? "auto" : "required", tools: functions };
    return { ...options, tool_choice: { type: "allowed_tools", allowed_tools: allowed } };
  }
  if (mode === "validated") throw new NotSupported("tool_choice validated");
  return { ...options, tool_choice: mode };
}

function messages({ system, turns }) {
  return [...(system ?? []).map((text) => new SystemMessage(text)), ...turns.flatMap(message)];
}

// A ToolMessage for each result, and a HumanMessage for what stands between them.
function message({ role, parts, name, keep }) {
  if (role === "assistant") return keep ? mapStoredMessagesToChatMessages([keep]) : [saidBefore(parts, name)];
  if (role === "system") return parts.map(({ text }) => new SystemMessage(text));
  const made = [];
  for (const part of parts) {
    if (part.tool_result) made.push(returned(part.tool_result));
    else if (made.at(-1)?.type === "human") made.at(-1).content.push(asked(part));
    else made.push(new HumanMessage({ content: [asked(part)], name }));
  }
  return made;
}

function asked({ text, media: one, detail, ...other }) {
  if (text != null) return { type: "text", text };
  if (one) return media(one, detail);
  throw new NotSupported(`in the user's turn: ${Object.keys(other)}`);
}

// A message of the model that the caller wrote down, in the blocks that its own answers have, and the calls beside them. Thinking
// that is signed is Claude's, in the block that messages of ChatAnthropic have; reasoning that is not is a standard block.
function saidBefore(parts, name) {
  const [content, calls, signatures] = [[], [], {}];
  for (const { text, reasoning, redacted, tool_call: call, media: one, detail, signature, ...other } of parts) {
    if (signature && reasoning == null && !call) throw new NotSupported("a signature that is not of a thought or of a call");
    if (text != null) content.push({ type: "text", text });
    else if (reasoning != null && signature) content.push({ type: "thinking", thinking: reasoning, signature });
    else if (reasoning != null) content.push({ type: "reasoning", reasoning });
    else if (redacted != null) content.push({ type: "redacted_thinking", data: redacted });
    else if (one) content.push(media(one, detail));
    else if (!call) throw new NotSupported(`in the model's turn: ${Object.keys(other)}`);
    else {
      calls.push({ type: "tool_call", id: call.id, name: call.name, args: parsed(call) });
      if (signature) signatures[call.id] = signature;
    }
  }
  const kept = Object.keys(signatures).length ? { [SIGNATURES]: signatures } : {};
  const only = content.length === 1 && content[0].type === "text" ? content[0].text : content;
  return new AIMessage({ content: content.length ? only : "", name, tool_calls: calls, additional_kwargs: kept });
}

// The args of a tool_call are an object.
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

// The content of a ToolMessage is a text, or blocks.
function returned({ id, name, value, media: files, is_error: failed, cited }) {
  if (cited?.length) throw new NotSupported("search results in the result of a call");
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const words = text ? [{ type: "text", text }] : [];
  const content = files?.length ? [...words, ...files.map((one) => media(one))] : text;
  return new ToolMessage({ content, tool_call_id: id ?? "", name, status: failed ? "error" : "success" });
}

// A block with a source_type (https://docs.langchain.com/oss/javascript/langchain/messages#multimodal), with what OpenAI knows
// beside it in its metadata. What it does not take it says before it asks.
function media({ mime, data, uri }, detail) {
  const kind = mime.split("/")[0];
  const type = ["image", "audio", "video"].includes(kind) ? kind : "file";
  const known = mime && !mime.endsWith("*") ? { mime_type: AUDIO[mime] ?? mime } : {};
  const block = { type, ...known, ...(detail ? { metadata: detail } : {}) };
  if (uri == null) return { ...block, source_type: "base64", data };
  return uri.includes("://") ? { ...block, source_type: "url", url: uri } : { ...block, source_type: "id", id: uri };
}

// The answer --------------------------------------------------------------------------------------------------------

function answer(found) {
  const calls = [...(found.tool_calls ?? []), ...(found.invalid_tool_calls ?? [])];
  return { parts: [...said(found), ...calls.map(called), ...older(found, called)], ...ended(found) };
}

async function* events(chat, history, signal) {
  let whole;
  try {
    for await (const chunk of await chat.stream(history, { signal })) {
      whole = whole ? concat(whole, chunk) : chunk;
      const parts = [...said(chunk), ...(chunk.tool_call_chunks ?? []).map(piece), ...older(chunk, piece)];
      if (parts.length) yield { parts };
    }
  } catch (error) {
    if (!signal.aborted) yield failure(error, whole);
    return;
  }
  yield whole ? ended(whole) : {};
}

// Reasoning in words, which compatible providers send, stands beside the content.
function said({ content, additional_kwargs: more }) {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const texts = blocks.flatMap(({ type, text }) => (type === "text" && text ? [{ text }] : []));
  return [...(more.reasoning_content ? [{ reasoning: more.reasoning_content }] : []), ...texts];
}

// The one call of the field that came before tool_calls, which stands in the additional_kwargs.
function older({ additional_kwargs: { function_call: call } }, told) {
  return call ? [told({ index: 0, name: call.name, args: call.arguments })] : [];
}

// The arguments of a call that is invalid, or of an older one, are a text.
function called({ id, name, args }) {
  const isObject = args && typeof args === "object" && !Array.isArray(args);
  const text = typeof args === "string" ? args : JSON.stringify(args);
  return { tool_call: { id, name, ...(isObject ? { args } : { args_text: text }) } };
}

function piece({ index, id, name, args }) {
  return { tool_call: { index, id, name, args_text: args } };
}

function ended(found) {
  const { finish_reason: native, model_name: model, usage } = found.response_metadata;
  const counts = found.usage_metadata; // which has no 0 of the first three; OpenAI's own stand in the metadata
  return {
    ...(native ? { finish: FINISH[native], finish_native: native } : {}),
    refusal: found.additional_kwargs.refusal || undefined,
    usage: counts && {
      prompt: counts.input_tokens ?? usage?.prompt_tokens,
      completion: counts.output_tokens ?? usage?.completion_tokens,
      total: counts.total_tokens ?? usage?.total_tokens,
      cached: counts.input_token_details?.cache_read,
      cache_write: counts.input_token_details?.cache_creation,
      reasoning: counts.output_token_details?.reasoning,
    },
    model,
    id: /^(lc_)?run-/.test(found.id ?? "") ? undefined : found.id, // LangChain's own where there is none
    keep: mapChatMessagesToStoredMessages([found])[0],
  };
}

// Errors of the provider are those of the SDK, with its status and headers; LangChain gives one of its own for a context
// that is too long, with that of the SDK as its cause, and a plain Error with a name of its own for a time limit. The SDK
// gives no answer of a schema that was cut short or filtered, but errors that say which. What the conversion does not take
// is a plain Error before any chunk; fetch tells a connection that broke as a TypeError with a cause, and JSON that is none
// is a SyntaxError.
function failure(error, heard) {
  const tooLong = ContextOverflowError.isInstance(error);
  const inner = tooLong ? error.cause : error;
  if (inner instanceof APIError) return { error: { ...told(error.message, inner), ...(tooLong ? { kind: "too_large" } : {}) } };
  if (inner instanceof LengthFinishReasonError) return { error: { message: error.message }, finish: "length" };
  if (inner instanceof ContentFilterFinishReasonError) {
    return { error: { message: error.message, kind: "content" }, finish: "content_filter" };
  }
  if (inner instanceof OpenAIError || LangChainError.isInstance(error)) return { error: { message: error.message } };
  if (error?.name === "TimeoutError") return { error: { message: error.message, kind: "timeout" } };
  if (error instanceof TypeError && error.cause) return { error: { message: `${error.message}: ${error.cause.message}` } };
  if (error instanceof SyntaxError) return { error: { message: error.message } };
  if (!heard && error?.constructor === Error) throw new NotSupported(error.message);
  throw error;
}

function told(message, { status, code, type, headers }) {
  const wait = Number.parseFloat(headers?.get("retry-after"));
  const native = typeof code === "string" ? code : type;
  return {
    message,
    status: status >= 400 ? status : undefined,
    native: typeof native === "string" ? native : undefined,
    retry_after: wait >= 0 ? wait : undefined,
  };
}

serve(adapter);
