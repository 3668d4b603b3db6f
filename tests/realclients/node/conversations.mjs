// Conversations of several turns: `node conversations.mjs CLIENT ORIGIN KEY JSON`, JSON: {model, system, streamed, questions,
// plain}; questions: a list a conversation; plain: without tools, openai with its stream helper. Prints, a list a conversation, what each question was answered with; null for an error.
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";

const [name, origin, apiKey, settings] = process.argv.slice(2);
const { model, system, streamed, questions, plain } = JSON.parse(settings);
const description = "Weather of a city";
const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const weather = ({ city }) => `mild in ${city}`;

// chats of @google/genai, which answer the calls of a CallableTool themselves.
function openGoogleChat() {
  const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: origin } });
  const declaration = { name: "get_weather", description, parametersJsonSchema: schema };
  const tool = {
    tool: async () => ({ functionDeclarations: [declaration] }),
    callTool: async (calls) =>
      calls.map(({ id, name, args }) => ({ functionResponse: { id, name, response: { output: weather(args) } } })),
  };
  const chat = client.chats.create({ model, config: plain ? {} : { systemInstruction: system, tools: [tool] } });
  return async (message) => {
    if (!streamed) return (await chat.sendMessage({ message })).text;
    let text = "";
    for await (const chunk of await chat.sendMessageStream({ message })) text += chunk.text ?? "";
    return text;
  };
}

// runTools of openai; its messages are the history of the next question.
function openOpenAIChat() {
  const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey });
  const tool = {
    type: "function",
    function: { name: "get_weather", description, parameters: schema, strict: true, parse: JSON.parse, function: weather },
  };
  let messages = plain ? [] : [{ role: "system", content: system }];
  return async (content) => {
    messages.push({ role: "user", content });
    if (plain) {
      const completion = await client.chat.completions.stream({ model, messages }).finalChatCompletion();
      messages.push(completion.choices[0].message);
      return completion.choices[0].message.content;
    }
    const runner = client.chat.completions.runTools({ model, messages, tools: [tool], stream: streamed });
    const text = await runner.finalContent();
    messages = [...runner.messages];
    return text;
  };
}

// The tool runner of @anthropic-ai/sdk; the history is what each of its messages held.
function openAnthropicChat() {
  const client = new Anthropic({ baseURL: origin, apiKey });
  const tool = betaTool({ name: "get_weather", description, inputSchema: schema, run: weather });
  const messages = [];
  return async (content) => {
    messages.push({ role: "user", content });
    const options = { model, max_tokens: 2000, system, messages: [...messages], tools: [tool], stream: streamed };
    let text = "";
    const runner = client.beta.messages.toolRunner(options);
    for await (const step of runner) {
      const message = streamed ? await step.finalMessage() : step;
      messages.push({ role: "assistant", content: message.content });
      const results = await runner.generateToolResponse();
      if (results) messages.push(results);
      text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    }
    return text;
  };
}

const open = { genai: openGoogleChat, openai: openOpenAIChat, anthropic: openAnthropicChat }[name];
const shown = [];
for (const conversation of questions) {
  const ask = open();
  const texts = [];
  for (const question of conversation) {
    try {
      texts.push(await ask(question));
    } catch (error) {
      process.stderr.write(`${error.constructor.name}: ${error.message}\n`);
      texts.push(null);
    }
  }
  shown.push(texts);
}
console.log(JSON.stringify(shown));
