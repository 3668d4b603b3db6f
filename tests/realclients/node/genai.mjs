// @google/genai against the gateway: `node genai.mjs BEHAVIOUR[,BEHAVIOUR...] ORIGIN KEY` prints one JSON document a line.
import { GoogleGenAI } from "@google/genai";

const [names, origin, apiKey] = process.argv.slice(2);
const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: origin } });
const model = "scripted-model";
const contents = "say hi";
const declaration = {
  name: "get_weather",
  description: "Weather of a city",
  parametersJsonSchema: { type: "object", properties: { city: { type: "string" } } },
};
const cities = [];

// Automatic function calling: the SDK answers the calls itself.
const weather = {
  tool: async () => ({ functionDeclarations: [declaration] }),
  callTool: async (calls) =>
    calls.map((call) => {
      cities.push(call.args.city);
      return { functionResponse: { id: call.id, name: call.name, response: { output: `mild in ${call.args.city}` } } };
    }),
};

const behaviours = {
  async unary() {
    const response = await client.models.generateContent({ model, contents });
    return { text: response.text, finish: response.candidates[0].finishReason, usage: response.usageMetadata };
  },
  async stream() {
    const pieces = [];
    let usage = null;
    for await (const chunk of await client.models.generateContentStream({ model, contents })) {
      if (chunk.text) pieces.push(chunk.text);
      usage = chunk.usageMetadata ?? usage;
    }
    return { pieces, usage };
  },
  async tools() {
    const chat = client.chats.create({ model, config: { tools: [weather] } });
    const response = await chat.sendMessage({ message: contents });
    return { text: response.text, cities };
  },
  async chat() {
    const chat = client.chats.create({ model });
    const texts = [];
    for (const message of ["say hi", "and again"]) {
      for await (const chunk of await chat.sendMessageStream({ message })) texts.push(chunk.text ?? "");
    }
    return { text: texts.join("") };
  },
  async parallel() {
    const calls = [];
    const config = { tools: [{ functionDeclarations: [declaration] }] };
    for await (const chunk of await client.models.generateContentStream({ model, contents, config })) {
      calls.push(...(chunk.functionCalls ?? []));
    }
    return { calls };
  },
  async structured() {
    const config = {
      responseMimeType: "application/json",
      responseJsonSchema: { type: "object", properties: { city: { type: "string" } } },
    };
    const response = await client.models.generateContent({ model, contents, config });
    return JSON.parse(response.text);
  },
};

for (const name of names.split(",")) {
  try {
    console.log(JSON.stringify(await behaviours[name]()));
  } catch (error) {
    const { message, status = null } = error;
    console.log(JSON.stringify({ error: error.constructor.name, status, message }));
  }
}
