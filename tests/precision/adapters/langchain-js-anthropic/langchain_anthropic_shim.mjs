// ChatAnthropic of @langchain/anthropic as bridgecheck asks it: invoke and stream of its documentation
// (https://docs.langchain.com/oss/javascript/integrations/chat/anthropic), at the base URL of the recordings.
// It has types of its own, so the client's dialect is outcome (docs/outcome.md).
//
// Answers are written down as the content and the tool_calls of their message say them, of a stream as the content and the
// tool_call_chunks of its chunks do; `keep` is the message as LangChain stores it (mapChatMessagesToStoredMessages), so that
// it comes back with the next request as an agent would send it.

import { createRequire } from "node:module";

import { AnthropicError, APIError } from "@anthropic-ai/sdk";
import { ChatAnthropic } from "@langchain/anthropic";
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

import { NotSupported, serve } from "../../../../docs/examples/command_node/shim.mjs";

const versionOf = (name) => createRequire(import.meta.url)(`${name}/package.json`).version;

// stop_reason of the metadata is Claude's own word: https://platform.claude.com/docs/en/api/handling-stop-reasons
const FINISH = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  pause_turn: "pause",
  refusal: "content_filter",
};
// https://reference.langchain.com/javascript/interfaces/_langchain_anthropic.index.AnthropicInput.html
const SETTINGS = {
  temperature: "temperature",
  top_p: "topP",
  top_k: "topK",
  max_tokens: "maxTokens",
  stop: "stopSequences",
};
const DEFAULTS = { n: "1", modalities: "text" }; // they say what it does without them
const CHOICES = { auto: "auto", none: "none", required: "any" };
const EFFORTS = ["low", "medium", "high", "xhigh", "max"]; // of outputConfig
// Models that have neither effort nor adaptive thinking, and one that has effort alone
// (https://platform.claude.com/docs/en/build-with-claude/effort, .../adaptive-thinking).
const WITHOUT_EFFORT = /claude-(3|(opus|sonnet)-4(-[01]\b|-20\d{6}|$)|(sonnet|haiku)-4-5)/;
const WITHOUT_ADAPTIVE = /claude-opus-4-5/;
// Claude signs thoughts alone: the signature of a call is Gemini's, and stands where messages of @langchain/google-genai have it.
const SIGNATURES = "__gemini_function_call_thought_signatures__";

const adapter = {
  name: "langchain-js-anthropic",
  version: `${versionOf("@langchain/anthropic")}, core ${versionOf("@langchain/core")}`,
  routes: [["outcome", "anthropic"]],
  claims: ["tools", "parallel_tools", "thinking", "signatures", "media_input", "json_schema", "relay"],
  cannot_say: [
    ...["code", "response_format.name", "response_format.strict", "settings.frequency_penalty", "settings.modalities"],
    ...["settings.presence_penalty", "settings.seed", "tool_choice.parallel", "tool_choice.validated"],
    ...["turns.media.detail", "usage.tool_prompt"],
  ],

  async call({ body, model, mode, base_url, api_key }, signal) {
    const history = messages(body);
    const fields = { model, apiKey: api_key, anthropicApiUrl: base_url, maxRetries: 0 };
    const chat = prepared(new ChatAnthropic({ ...fields, ...parameters(body, model) }), body);
    if (mode === "stream") return events(chat, history, signal);
    try {
      return answer(await chat.invoke(history, { signal }));
    } catch (error) {
      return failure(error);
    }
  },
};

// The request -------------------------------------------------------------------------------------------------------

// The form of the answer is asked for with outputConfig, which is an option of a call
// (https://reference.langchain.com/javascript/interfaces/_langchain_anthropic.index.ChatAnthropicCallOptions.html): what
// withStructuredOutput sets, which has no tools beside it and gives a stream in one chunk.
function prepared(chat, { tools, tool_choice: choice, response_format: format }) {
  if (format?.kind === "json_object") throw new NotSupported("response_format json_object: outputConfig takes a schema");
  const options = toolChoice(choice ?? {});
  if (format?.kind === "json_schema") options.outputConfig = { format: { type: "json_schema", schema: format.schema } };
  if (tools?.length) return chat.bindTools(tools.map(declared), options);
  return Object.keys(options).length ? chat.withConfig(options) : chat;
}

function parameters({ settings, thinking }, model) {
  const asked = thinking ? thinkingOptions(thinking, model) : {};
  for (const [name, value] of Object.entries(settings ?? {})) {
    if (name in SETTINGS) asked[SETTINGS[name]] = value;
    else if (name === "user") asked.invocationKwargs = { metadata: { user_id: value } };
    else if (String(value) !== DEFAULTS[name]) throw new NotSupported(`settings.${name}`);
  }
  return asked;
}

// A budget, or adaptive thinking; a level is the effort of outputConfig.
function thinkingOptions({ level, budget, include }, model) {
  if (level && !EFFORTS.includes(level)) throw new NotSupported(`thinking.level ${level}`);
  if (level && WITHOUT_EFFORT.test(model)) throw new NotSupported(`thinking.level: ${model} has budgets`);
  const effort = level ? { outputConfig: { effort: level } } : {};
  const display = include == null ? {} : { display: include ? "summarized" : "omitted" };
  if (budget === 0) return { ...effort, thinking: { type: "disabled" } };
  if (budget > 0) return { ...effort, thinking: { type: "enabled", budget_tokens: budget, ...display } };
  if (budget == null && include == null) return effort;
  if (budget == null && include === false && !level) {
    throw new NotSupported("thinking.include: display stands in a thinking that is switched on");
  }
  if (WITHOUT_EFFORT.test(model) || WITHOUT_ADAPTIVE.test(model)) throw new NotSupported(`thinking: ${model} has budgets`);
  return { ...effort, thinking: { type: "adaptive", ...display } };
}

// A tool in Anthropic's own form, which bindTools takes.
function declared({ name, description, parameters: schema, strict }) {
  return { name, description, strict, input_schema: schema ?? { type: "object", properties: {} } };
}

function toolChoice({ mode, names }) {
  if (!mode) return {};
  if (mode === "named") return { tool_choice: { type: "tool", name: names[0] } };
  if (!(mode in CHOICES)) throw new NotSupported(`tool_choice ${mode}`);
  return { tool_choice: CHOICES[mode] };
}

function messages({ system, turns }) {
  return [...(system ?? []).map((text) => new SystemMessage(text)), ...turns.flatMap(message)];
}

// A ToolMessage for each result, and a HumanMessage for what stands between them.
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

function asked({ text, media: one, ...other }) {
  if (text != null) return { type: "text", text };
  if (one) return media(one);
  throw new NotSupported(`in the user's turn: ${Object.keys(other)}`);
}

// A message of the model that the caller wrote down, in the blocks that its own answers have, and the calls beside them. Thinking
// of Claude is signed; reasoning that is not is a standard block.
function saidBefore(parts) {
  const [content, calls, signatures] = [[], [], {}];
  for (const { text, reasoning, redacted, tool_call: call, media: one, signature, ...other } of parts) {
    if (signature && reasoning == null && !call) throw new NotSupported("a signature that is not of a thought or of a call");
    if (text != null) content.push({ type: "text", text });
    else if (reasoning != null && signature) content.push({ type: "thinking", thinking: reasoning, signature });
    else if (reasoning != null) content.push({ type: "reasoning", reasoning });
    else if (redacted != null) content.push({ type: "redacted_thinking", data: redacted });
    else if (one) content.push(media(one));
    else if (!call) throw new NotSupported(`in the model's turn: ${Object.keys(other)}`);
    else {
      const { id, name } = call;
      const args = parsed(call);
      content.push({ type: "tool_use", id, name, input: args });
      calls.push({ type: "tool_call", id, name, args });
      if (signature) signatures[id] = signature;
    }
  }
  const kept = Object.keys(signatures).length ? { [SIGNATURES]: signatures } : {};
  return new AIMessage({ content, tool_calls: calls, additional_kwargs: kept });
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
  if (cited?.length) throw new NotSupported("search results in the result of a call: their source and title are unknown");
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const words = text ? [{ type: "text", text }] : [];
  const content = files?.length ? [...words, ...files.map(media)] : text;
  return new ToolMessage({ content, tool_call_id: id ?? "", name, status: failed ? "error" : "success" });
}

// A standard block (https://docs.langchain.com/oss/javascript/langchain/messages#multimodal).
function media({ mime, data, uri }) {
  const kind = mime.split("/")[0];
  const known = mime && !mime.endsWith("*") ? { mimeType: mime } : {};
  if (kind === "text" && uri == null) return { type: "text-plain", ...known, text: decoded(data) };
  const type = ["image", "audio", "video"].includes(kind) ? kind : "file";
  if (uri == null) return { type, ...known, data };
  return { type, ...known, ...(uri.includes("://") ? { url: uri } : { fileId: uri }) };
}

function decoded(data) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(data, "base64"));
  } catch {
    throw new NotSupported("media: a text in another encoding than UTF-8");
  }
}

// The answer --------------------------------------------------------------------------------------------------------

function answer(found) {
  return { parts: partsOf(found), ...ended(found) };
}

async function* events(chat, history, signal) {
  let whole;
  try {
    for await (const chunk of await chat.stream(history, { signal })) {
      whole = whole ? concat(whole, chunk) : chunk;
      const parts = [...blocksOf(chunk).flatMap(heard), ...(chunk.tool_call_chunks ?? []).map(piece)];
      if (parts.length) yield { parts };
    }
  } catch (error) {
    yield failure(error, whole);
    return;
  }
  yield whole ? ended(whole) : {};
}

function blocksOf({ content }) {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

// The calls in the places that the blocks of the content have.
function partsOf(found) {
  const calls = [...found.tool_calls, ...(found.invalid_tool_calls ?? [])];
  const place = ({ id, type }) => type === "tool_use" && calls.findIndex((call) => call.id === id);
  const parts = blocksOf(found).flatMap((block) => {
    const at = place(block);
    return at === false || at < 0 ? heard(block) : calls.splice(at, 1).map(called);
  });
  return [...parts, ...calls.map(called)];
}

function called({ id, name, args }) {
  return { tool_call: { id, name, ...(typeof args === "string" ? { args_text: args } : { args }) } };
}

function piece({ index, id, name, args }) {
  return { tool_call: { index, id, name, args_text: args } };
}

function heard({ type, text, thinking, signature, data }) {
  if (type === "text") return text ? [{ text }] : [];
  if (type === "thinking") return thinking || signature ? [{ reasoning: thinking ?? "", signature: signature || undefined }] : [];
  return type === "redacted_thinking" ? [{ redacted: data }] : [];
}

// Of a stream the metadata stand in additional_kwargs.
function ended(found) {
  const said = { ...found.additional_kwargs, ...found.response_metadata };
  const counts = found.usage_metadata;
  const citations = blocksOf(found).flatMap((block) => block.citations ?? []);
  const refusal = found.contentBlocks.find(({ type }) => type === "refusal")?.refusal;
  return {
    ...(said.stop_reason ? { finish: FINISH[said.stop_reason], finish_native: said.stop_reason } : {}),
    refusal: refusal || undefined,
    citations: citations.length ? citations : undefined,
    usage: counts && {
      prompt: counts.input_tokens,
      completion: counts.output_tokens,
      total: counts.total_tokens,
      cached: counts.input_token_details?.cache_read,
      cache_write: counts.input_token_details?.cache_creation,
      reasoning: counts.output_token_details?.reasoning,
    },
    model: said.model,
    id: said.id,
    keep: mapChatMessagesToStoredMessages([found])[0],
  };
}

// Errors of the provider are those of the SDK, with its status and headers; LangChain gives one of its own for a context that is
// too long, with that of the SDK as its cause. What the SDK says before it asks is an AnthropicError, what the conversion
// does not take a plain Error before any chunk; fetch tells a connection that broke as a TypeError with a cause, and JSON that
// is none is a SyntaxError.
function failure(error, heard) {
  const inner = ContextOverflowError.isInstance(error) ? error.cause : error;
  if (inner instanceof APIError) return { error: { ...told(error.message, inner), ...kindOf(error) } };
  if (LangChainError.isInstance(error)) return { error: { message: error.message } };
  if (error instanceof TypeError && error.cause) return { error: { message: `${error.message}: ${error.cause.message}` } };
  if (error instanceof SyntaxError || (heard && error instanceof AnthropicError)) return { error: { message: error.message } };
  if (!heard && (error instanceof AnthropicError || error?.constructor === Error)) throw new NotSupported(error.message);
  throw error;
}

function kindOf(error) {
  return ContextOverflowError.isInstance(error) ? { kind: "too_large" } : {};
}

function told(message, { status, type, headers }) {
  const wait = Number.parseFloat(headers?.get("retry-after"));
  return {
    message,
    status: status >= 400 ? status : undefined,
    native: type ?? undefined,
    retry_after: wait >= 0 ? wait : undefined,
  };
}

serve(adapter);
