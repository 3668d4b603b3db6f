// The AI SDK, as its guide shows it: `node vercel.mjs` reads a conversation as a JSON line from stdin and prints what
// came of it as another.
import { createInterface } from "node:readline";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, streamText, tool } from "ai";
import { z } from "zod";

globalThis.AI_SDK_LOG_WARNINGS = false;

const getWeather = tool({
  description: "Weather of a city",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `mild in ${city}`,
});

const models = {
  "ai-sdk-openai": ({ origin, key, model }) => createOpenAI({ baseURL: `${origin}/v1`, apiKey: key }).chat(model),
  "ai-sdk-compatible": ({ origin, key, model }) =>
    createOpenAICompatible({ name: "gateway", baseURL: `${origin}/v1`, apiKey: key, includeUsage: true })(model),
  "ai-sdk-anthropic": ({ origin, key, model }) => createAnthropic({ baseURL: `${origin}/v1`, apiKey: key })(model),
  "ai-sdk-google": ({ origin, key, model }) => createGoogle({ baseURL: `${origin}/v1beta`, apiKey: key })(model),
};

const thinkingOptions = {
  anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } },
  google: { thinkingConfig: { includeThoughts: true } },
};

async function play(options) {
  const messages = [];
  const turns = [];
  for (const text of options.users) {
    messages.push({ role: "user", content: text });
    const turn = { shown: "" };
    const settings = {
      model: models[options.client](options),
      instructions: "Be brief.",
      messages,
      tools: { get_weather: getWeather },
      stopWhen: isStepCount(5),
      maxRetries: 0,
      ...(options.thinking && { providerOptions: thinkingOptions }),
    };
    try {
      if (options.streamed) {
        const result = streamText({ ...settings, onError: ({ error }) => (turn.error = describe(error)) });
        for await (const piece of result.textStream) turn.shown += piece;
        messages.push(...(await result.responseMessages));
      } else {
        const result = await generateText(settings);
        turn.shown = result.text;
        messages.push(...result.responseMessages);
      }
    } catch (error) {
      turn.error ??= describe(error);
    }
    turns.push(turn);
  }
  return { turns };
}

const describe = (error) => `${error?.name}: ${error?.message ?? JSON.stringify(error)}`.slice(0, 300);

process.on("unhandledRejection", () => {}); // the promises of a stream that failed
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await play(JSON.parse(line))));
}
