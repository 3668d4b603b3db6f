// @anthropic-ai/sdk against the gateway: `node anthropic.mjs BEHAVIOUR[,BEHAVIOUR...] ORIGIN KEY` prints one JSON document a line.
import Anthropic from "@anthropic-ai/sdk";

const [names, origin, apiKey] = process.argv.slice(2);
const client = new Anthropic({ baseURL: origin, apiKey, maxRetries: 1 });
const model = "scripted-model";
const messages = [{ role: "user", content: "say hi" }];
const tool = {
  name: "get_weather",
  description: "Weather of a city",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

const behaviours = {
  async unary() {
    const response = await client.messages.create({ model, messages, max_tokens: 100 });
    return { text: response.content[0].text, finish: response.stop_reason, usage: response.usage };
  },
  async stream() {
    const pieces = [];
    const stream = client.messages.stream({ model, messages, max_tokens: 100 }).on("text", (piece) => pieces.push(piece));
    const response = await stream.finalMessage();
    return { pieces, usage: response.usage };
  },
  async tools() {
    const history = [...messages];
    const cities = [];
    for (;;) {
      const stream = client.messages.stream({ model, messages: history, max_tokens: 100, tools: [tool] });
      const response = await stream.finalMessage();
      if (response.stop_reason !== "tool_use") return { text: response.content.at(-1).text, cities };
      history.push({ role: "assistant", content: response.content });
      const calls = response.content.filter((block) => block.type === "tool_use");
      const results = calls.map((call) => {
        cities.push(call.input.city);
        return { type: "tool_result", tool_use_id: call.id, content: `mild in ${call.input.city}` };
      });
      history.push({ role: "user", content: results });
    }
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
