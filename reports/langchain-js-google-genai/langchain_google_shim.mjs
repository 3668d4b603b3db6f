// ChatGoogleGenerativeAI of @langchain/google-genai as bridgecheck asks it: invoke and stream of its documentation
// (https://docs.langchain.com/oss/javascript/integrations/chat/google_generative_ai), at the base URL of the recordings.
// It has types of its own, so the client's dialect is outcome (docs/outcome.md).
//
// Answers are written down as the content and the tool_calls of their message say them; `keep` is that message as LangChain
// stores it (mapChatMessagesToStoredMessages), so that it comes back with the next request as an agent would send it.

import { createRequire } from "node:module";

import { GoogleGenerativeAIError } from "@google/generative-ai";
import { LangChainError } from "@langchain/core/errors";
import {
  AIMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { concat } from "@langchain/core/utils/stream";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";

import { NotSupported, serve } from "../../docs/examples/command_node/shim.mjs";

const versionOf = (name) => createRequire(import.meta.url)(`${name}/package.json`).version;

// finishReason of response_metadata is Gemini's own word.
const FINISH = { STOP: "stop", MAX_TOKENS: "length", MALFORMED_FUNCTION_CALL: "malformed_call" };
const FILTERED = [
  ...["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"],
  ...["IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"],
];
// https://reference.langchain.com/javascript/interfaces/_langchain_google-genai.GoogleGenerativeAIChatInput.html
const SETTINGS = {
  temperature: "temperature",
  top_p: "topP",
  top_k: "topK",
  max_tokens: "maxOutputTokens",
  stop: "stopSequences",
};
const LEVELS = ["LOW", "MEDIUM", "HIGH"]; // GoogleGenerativeAIThinkingLevel
// What stands for a level with models before Gemini 3, which have no levels (https://ai.google.dev/gemini-api/docs/thinking), by
// Google's own table: https://ai.google.dev/gemini-api/docs/openai#thinking (2026-11-23)
const THINKING_BUDGETS = { minimal: 1024, low: 1024, medium: 8192, high: 24576 };
const LEAST_BUDGET_OF_PRO = 128; // Gemini 2.5 Pro cannot stop thinking: https://ai.google.dev/gemini-api/docs/thinking (2026-11-23)
const SIGNATURES = "__gemini_function_call_thought_signatures__"; // where its messages keep those of calls

const adapter = {
  name: "langchain-js-google-genai",
  version: `${versionOf("@langchain/google-genai")}, core ${versionOf("@langchain/core")}`,
  routes: [["outcome", "gemini"]],
  claims: ["tools", "parallel_tools", "thinking", "signatures", "media_input", "json_schema", "relay"],
  cannot_say: [
    ...["code", "order", "refusal", "error.retry_after", "response_format.name", "response_format.strict", "tools.strict"],
    ...["settings.frequency_penalty", "settings.modalities", "settings.presence_penalty", "settings.seed", "settings.user"],
    ...["tool_choice.parallel", "tool_choice.validated", "turns.media.detail", "usage.tool_prompt"],
  ],

  async call({ body, model, mode, base_url, api_key }, signal) {
    const history = messages(body);
    const { chat, raw } = prepared({ model, apiKey: api_key, baseUrl: base_url, maxRetries: 0 }, body);
    if (mode === "stream") return events(chat, history, raw, signal);
    try {
      const found = await chat.invoke(history, { signal });
      return answer(raw ? found.raw : found);
    } catch (error) {
      return failure(error);
    }
  },
};

// The request -------------------------------------------------------------------------------------------------------

function prepared(fields, body) {
  const chat = chatModel({ ...fields, ...parameters(body, fields.model) });
  const { kind, schema, name } = body.response_format ?? {};
  const tools = (body.tools ?? []).map(declared);
  if (kind === "json_schema") {
    if (tools.length) throw new NotSupported("response_format beside tools: withStructuredOutput takes none");
    return { chat: chat.withStructuredOutput(schema, { name, includeRaw: true }), raw: true };
  }
  return { chat: tools.length ? chat.bindTools(tools, toolChoice(body.tool_choice ?? {})) : chat };
}

// It looks at its parameters, and says which one it does not take.
function chatModel(fields) {
  try {
    return new ChatGoogleGenerativeAI(fields);
  } catch (error) {
    throw new NotSupported(error.message);
  }
}

function parameters({ settings, thinking, response_format }, model) {
  const asked = {};
  for (const [name, value] of Object.entries(settings ?? {})) {
    if (!(name in SETTINGS)) throw new NotSupported(`settings.${name}`);
    asked[SETTINGS[name]] = value;
  }
  if (response_format?.kind === "json_object") asked.json = true;
  if (thinking) asked.thinkingConfig = thinkingConfig(thinking, model);
  return asked;
}

// Gemini 3 cannot stop thinking either; LOW is the least of its levels that the library has.
function leastThinking(model) {
  if (/gemini-[3-9]/.test(model)) return { level: "low" };
  return { budget: /gemini-2\.5-pro/.test(model) ? LEAST_BUDGET_OF_PRO : 0 };
}

function thinkingConfig({ level, budget, include }, model) {
  if (budget === 0) ({ level, budget } = leastThinking(model));
  const instead = budget == null && /gemini-[12]\b/.test(model) ? THINKING_BUDGETS[level] : undefined;
  if (instead != null) return { thinkingBudget: instead, includeThoughts: include };
  const thinkingLevel = level?.toUpperCase();
  if (level && !LEVELS.includes(thinkingLevel)) throw new NotSupported(`thinking.level ${level}`);
  return { thinkingBudget: budget, includeThoughts: include, thinkingLevel };
}

// https://docs.langchain.com/oss/javascript/langchain/tools: a schema may be JSON Schema.
function declared({ name, description, parameters: schema }) {
  return { name, description, schema: schema ?? { type: "object", properties: {} } };
}

function toolChoice({ mode, names }) {
  if (mode === "validated") throw new NotSupported("tool_choice validated");
  if (mode === "named") return { tool_choice: names[0] };
  if (mode === "allowed") return { tool_choice: "any", allowedFunctionNames: names };
  if (!mode) return {};
  return { tool_choice: mode === "required" ? "any" : mode };
}

// One system message, which has to be the first (https://docs.langchain.com/oss/javascript/langchain/messages).
function messages({ system, turns }) {
  const first = system?.length ? [new SystemMessage(system.length === 1 ? system[0] : { content: system.map(textBlock) })] : [];
  return [...first, ...turns.flatMap(message)];
}

function message({ role, parts, name, keep }) {
  if (role === "assistant") return keep ? mapStoredMessagesToChatMessages([keep]) : [saidBefore(parts)];
  if (role === "system") return parts.map(({ text }) => new SystemMessage(text));
  const made = [];
  for (const part of parts) {
    if (part.tool_result) made.push(returned(part.tool_result));
    else if (made.at(-1)?.type === "human") made.at(-1).content.push(asked(part));
    else made.push(new HumanMessage({ content: [asked(part)], name }));
  }
  return made;
}

function textBlock(text) {
  return { type: "text", text };
}

function asked({ text, media: one, ...other }) {
  if (text != null) return textBlock(text);
  if (one) return media(one);
  throw new NotSupported(`in the user's turn: ${Object.keys(other)}`);
}

// A message of the model that the caller wrote down, in the blocks that its own answers have, and the calls beside them. Claude
// signs thoughts, Gemini calls and texts: a message with a signed thought is Claude's, and says so as those of ChatAnthropic do.
function saidBefore(parts) {
  const [content, calls, signatures] = [[], [], {}];
  for (const { text, reasoning, tool_call: call, media: one, signature, ...other } of parts) {
    if (signature && reasoning == null && !call) throw new NotSupported("a signature that is not of a thought or of a call");
    if (text != null) content.push(textBlock(text));
    else if (reasoning != null) content.push({ type: "thinking", thinking: reasoning, ...(signature ? { signature } : {}) });
    else if (one) content.push(media(one));
    else if (!call) throw new NotSupported(`in the model's turn: ${Object.keys(other)}`);
    else {
      calls.push({ type: "tool_call", id: call.id, name: call.name, args: parsed(call) });
      if (signature) signatures[call.id] = signature;
    }
  }
  const kept = Object.keys(signatures).length ? { [SIGNATURES]: signatures } : {};
  const byClaude = content.some(({ type, signature }) => type === "thinking" && signature);
  const metadata = byClaude ? { model_provider: "anthropic" } : {};
  return new AIMessage({ content, tool_calls: calls, additional_kwargs: kept, response_metadata: metadata });
}

// The args of a tool_call are an object.
function parsed({ args, args_text: text }) {
  if (text == null) return args ?? {};
  try {
    const found = JSON.parse(text);
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
  const content = files?.length ? [textBlock(text), ...files.map(media)] : text;
  return new ToolMessage({ content, tool_call_id: id ?? "", name, status: failed ? "error" : "success" });
}

// A standard block (https://docs.langchain.com/oss/javascript/langchain/messages#multimodal).
function media({ mime, data, uri }) {
  const kind = mime.split("/")[0];
  const type = ["image", "audio", "video"].includes(kind) ? kind : "file";
  const mimeType = mime && !mime.endsWith("*") ? { mimeType: mime } : {};
  if (uri == null) return { type, ...mimeType, data };
  return { type, ...mimeType, ...(uri.includes("://") ? { url: uri } : { fileId: uri }) };
}

// The answer --------------------------------------------------------------------------------------------------------

function answer(found) {
  return { parts: partsOf(found), ...ended(found) };
}

// A rejection that the SDK leaves unhandled ends the process. The pause lets it do so in the call that it belongs to.
async function* events(chat, history, raw, signal) {
  try {
    yield* streamed(chat, history, raw, signal);
  } finally {
    await new Promise(setImmediate);
  }
}

async function* streamed(chat, history, raw, signal) {
  let whole;
  try {
    for await (const found of await chat.stream(history, { signal })) {
      const chunk = raw ? found.raw : found;
      if (!chunk) continue;
      whole = whole ? concat(whole, chunk) : chunk;
      const parts = partsOf(chunk);
      if (parts.length) yield { parts };
    }
  } catch (error) {
    yield failure(error);
    return;
  }
  yield whole ? ended(whole) : {};
}

function partsOf(found) {
  const content = typeof found.content === "string" ? [textBlock(found.content)] : found.content;
  const signatures = found.additional_kwargs[SIGNATURES] ?? {};
  const whole = found.tool_calls.map(({ id, name, args }) => called({ id, name, args }, signatures));
  const invalid = (found.invalid_tool_calls ?? []).map(({ id, name, args }) => called({ id, name, args_text: args }, signatures));
  return [...content.flatMap(heard), ...whole, ...invalid];
}

function called(call, signatures) {
  return { tool_call: call, signature: signatures[call.id] };
}

function heard({ type, text, thinking, signature, inlineData: data, executableCode: code, codeExecutionResult: result }) {
  if (type === "text") return text ? [{ text }] : [];
  if (type === "thinking") return thinking || signature ? [{ reasoning: thinking, signature }] : [];
  if (type === "inlineData") return [{ media: { mime: data.mimeType, data: data.data } }];
  if (type === "executableCode") return [{ code: { kind: "executable", text: code.code } }];
  return type === "codeExecutionResult" ? [{ code: { kind: "result", text: result.output ?? "" } }] : [];
}

function ended(found) {
  const counts = found.usage_metadata;
  return {
    ...finished(found.response_metadata.finishReason),
    usage: counts && {
      prompt: counts.input_tokens,
      completion: counts.output_tokens,
      total: counts.total_tokens,
      cached: counts.input_token_details?.cache_read,
      reasoning: counts.output_token_details?.reasoning,
    },
    keep: mapChatMessagesToStoredMessages([found])[0],
  };
}

function finished(native) {
  if (!native) return {};
  return { finish: FILTERED.includes(native) ? "content_filter" : FINISH[native], finish_native: native };
}

// Errors of LangChain and of the SDK under it are answers. A plain Error is how its conversion says what it does not take;
// anything else that is thrown is a breakdown, and told as one. EmptyContentError says why there is no content.
function failure(error) {
  if (error instanceof GoogleGenerativeAIError || LangChainError.isInstance(error)) {
    const { message, status, blockReason, finishReason } = error;
    const kind = blockReason || FILTERED.includes(finishReason) ? { kind: "content" } : {};
    return { error: { message, status, native: blockReason, ...kind }, ...finished(finishReason) };
  }
  if (error?.constructor === Error) throw new NotSupported(error.message);
  throw error;
}

serve(adapter);
