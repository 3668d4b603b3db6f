// Genkit with its plug-in for OpenAI-compatible APIs as bridgecheck asks it: generate and generateStream of their
// documentation (https://genkit.dev/docs/models/, https://genkit.dev/docs/integrations/openai-compatible/), at the base URL of
// the recordings. It has types of its own, so the client's dialect is outcome (docs/outcome.md).
//
// Calls come back to the caller with returnToolRequests (https://genkit.dev/docs/tool-calling/); `keep` is the message of the
// answer, which the documentation tells callers to add to the messages.

import { createRequire } from "node:module";

import { openAICompatible } from "@genkit-ai/compat-oai";
import { GenerationBlockedError, GenerationResponseError, genkit, GenkitError } from "genkit";
import { OpenAIError } from "openai";

import { NotSupported, serve } from "../../docs/examples/command_node/shim.mjs";

const versionOf = (name) => createRequire(import.meta.url)(`./node_modules/${name}/package.json`).version;

// unknown: why it ended is not known
const FINISH = {
  stop: "stop",
  length: "length",
  blocked: "content_filter",
  aborted: "incomplete",
  failed: "error",
  interrupted: "tool_calls",
  other: "other",
};
// The configuration that all models share, and that of the plug-in (ChatCompletionCommonConfigSchema).
const SETTINGS = {
  temperature: "temperature",
  top_p: "topP",
  top_k: "topK",
  presence_penalty: "presencePenalty",
  frequency_penalty: "frequencyPenalty",
  max_tokens: "maxOutputTokens",
  stop: "stopSequences",
};

const adapter = {
  name: "genkit",
  version: `${versionOf("genkit")}, compat-oai ${versionOf("@genkit-ai/compat-oai")}`,
  routes: [["outcome", "openai-chat"]],
  claims: ["tools", "parallel_tools", "media_input", "relay"],
  cannot_say: [
    ...["citations", "code", "refusal", "response_format.name", "response_format.strict", "settings.modalities"],
    ...["settings.seed", "settings.user", "tool_choice.parallel", "tool_choice.validated", "tools.strict"],
    ...["turns.media.detail", "turns.name", "turns.results.is_error", "usage.cache_write", "usage.tool_prompt"],
  ],

  async call({ body, model, mode, base_url, api_key }, signal) {
    const plugin = openAICompatible({ name: "compat", apiKey: api_key, baseURL: base_url, maxRetries: 0 });
    const ai = genkit({ plugins: [plugin] });
    const asked = { model: `compat/${model}`, ...question(ai, body), returnToolRequests: true, abortSignal: signal };
    if (mode === "stream") return events(ai, asked);
    try {
      return answer(await ai.generate(asked));
    } catch (error) {
      return failure(error, answer);
    }
  },
};

// The request -------------------------------------------------------------------------------------------------------

function question(ai, body) {
  if (body.thinking) throw new NotSupported("thinking");
  const asked = { messages: body.turns.flatMap(messages), config: {} };
  if (body.system) asked.system = body.system.map((text) => ({ text }));
  if (body.tools?.length) asked.tools = body.tools.map((tool) => declared(ai, tool));
  const { mode } = body.tool_choice ?? {};
  if (mode && !["auto", "required", "none"].includes(mode)) throw new NotSupported(`tool_choice ${mode}`);
  if (mode) asked.toolChoice = mode;
  for (const [name, value] of Object.entries(body.settings ?? {})) {
    if (!(name in SETTINGS)) throw new NotSupported(`settings.${name}`);
    asked.config[SETTINGS[name]] = value;
  }
  const { kind, schema } = body.response_format ?? {};
  if (kind === "json_object") asked.output = { format: "json" };
  if (kind === "json_schema") asked.output = { format: "json", jsonSchema: schema };
  return asked;
}

function declared(ai, { name, description, parameters }) {
  const inputJsonSchema = parameters ?? { type: "object", properties: {} };
  return ai.defineTool({ name, description: description ?? "", inputJsonSchema }, () => {
    throw new Error("calls are the caller's");
  });
}

// Results of calls are messages of the role tool.
function messages({ role, parts, keep }) {
  if (role === "assistant") return [keep ?? { role: "model", content: parts.map(saidBefore) }];
  if (role === "system") return [{ role, content: parts.map(({ text }) => ({ text })) }];
  const made = [];
  for (const part of parts) {
    const as = part.tool_result ? "tool" : "user";
    if (made.at(-1)?.role !== as) made.push({ role: as, content: [] });
    made.at(-1).content.push(part.tool_result ? returned(part.tool_result) : asked(part));
  }
  return made;
}

function asked({ text, media: one, ...other }) {
  if (text != null) return { text };
  if (one) return media(one);
  throw new NotSupported(`in the user's turn: ${Object.keys(other)}`);
}

function saidBefore({ text, reasoning, tool_call: call, media: one, ...other }) {
  if (text != null) return { text };
  if (reasoning != null) return { reasoning };
  if (one) return media(one);
  if (!call) throw new NotSupported(`in the model's turn: ${Object.keys(other)}`);
  const input = call.args_text == null ? (call.args ?? {}) : parsed(call.args_text);
  return { toolRequest: { ref: call.id, name: call.name, input } };
}

// The input of a toolRequest is a JSON value.
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new NotSupported("arguments in the history that are no JSON");
  }
}

function returned({ id, name, value, media: files, cited }) {
  if (cited?.length) throw new NotSupported("search results in the result of a call");
  const content = files?.length ? { content: files.map(media) } : {};
  return { toolResponse: { ref: id, name: name ?? "", output: value, ...content } };
}

// An address, or bytes as a data: URL.
function media({ mime, data, uri }) {
  if (uri != null && !uri.includes("://")) throw new NotSupported("the id of a file: media have a URL");
  const contentType = mime && !mime.endsWith("*") ? { contentType: mime } : {};
  return { media: { url: uri ?? `data:${mime};base64,${data}`, ...contentType } };
}

// The answer --------------------------------------------------------------------------------------------------------

function answer(response) {
  return { parts: (response.message?.content ?? []).flatMap(heard), ...ended(response) };
}

// A chunk shows a call as far as it has come, and marks it as partial; the response has it whole.
async function* events(ai, question) {
  try {
    const { stream, response } = ai.generateStream(question);
    for await (const chunk of stream) {
      const parts = chunk.content.filter((part) => !part.toolRequest).flatMap(heard);
      if (parts.length) yield { parts };
    }
    const whole = await response;
    const parts = whole.toolRequests.flatMap(heard);
    yield { ...(parts.length ? { parts } : {}), ...ended(whole) };
  } catch (error) {
    yield failure(error, ended);
  }
}

function heard({ text, reasoning, media: one, toolRequest: call, data }) {
  if (text != null) return text ? [{ text }] : [];
  if (reasoning != null) return reasoning ? [{ reasoning }] : [];
  if (one) return [{ media: mediaOf(one) }];
  if (data !== undefined) return [{ text: JSON.stringify(data) }];
  if (!call) return [];
  const args = typeof call.input === "string" ? { args_text: call.input } : { args: call.input };
  return [{ tool_call: { id: call.ref, name: call.name, ...args } }];
}

function mediaOf({ url, contentType }) {
  const [, mime, data] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? [];
  return data == null ? { mime: contentType ?? "", uri: url } : { mime: contentType ?? mime, data };
}

function ended({ finishReason, usage, message }) {
  return {
    finish: FINISH[finishReason],
    usage: usage && {
      prompt: usage.inputTokens,
      completion: usage.outputTokens,
      total: usage.totalTokens,
      cached: usage.cachedContentTokens,
      reasoning: usage.thoughtsTokens,
    },
    keep: message?.toJSON?.() ?? message,
  };
}

// Its own errors, and those of the SDK under it, are answers. A GenerationBlockedError, or another GenerationResponseError, has
// the response that it is about, which is told as any other. What does not fit its schemas, and a plain Error, is how it says what it does not take; anything
// else that is thrown is a breakdown, and told as one (https://genkit.dev/docs/error-types/).
function failure(error, told) {
  if (error instanceof GenerationResponseError) {
    const kind = error instanceof GenerationBlockedError ? { kind: "content" } : {};
    return { ...told(error.detail.response), error: { message: error.originalMessage, ...kind } };
  }
  if (error instanceof GenkitError) {
    if (error.status === "INVALID_ARGUMENT" && error.detail?.errors) throw new NotSupported(error.originalMessage);
    const wait = error.responseMetadata?.retryAfterMs;
    const hint = wait == null ? {} : { retry_after: wait / 1000 };
    return { error: { message: error.originalMessage, status: error.code, ...hint } };
  }
  if (error instanceof OpenAIError) return { error: { message: error.message, status: error.status } };
  if (error?.constructor === Error) throw new NotSupported(error.message);
  throw error;
}

serve(adapter);
