// openai JS against the gateway: `node openai.mjs BEHAVIOUR[,BEHAVIOUR...] ORIGIN KEY` prints one JSON document a line.
import OpenAI from "openai";

const [names, origin, apiKey] = process.argv.slice(2);
const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey, maxRetries: 1 });
const model = "scripted-model";
const messages = [{ role: "user", content: "say hi" }];
const parameters = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const cities = [];

const behaviours = {
  async unary() {
    const response = await client.chat.completions.create({ model, messages });
    return { text: response.choices[0].message.content, finish: response.choices[0].finish_reason, usage: response.usage };
  },
  async stream() {
    const pieces = [];
    let usage = null;
    const options = { model, messages, stream: true, stream_options: { include_usage: true } };
    for await (const chunk of await client.chat.completions.create(options)) {
      const piece = chunk.choices[0]?.delta?.content;
      if (piece) pieces.push(piece);
      usage = chunk.usage ?? usage;
    }
    return { pieces, usage };
  },
  // runTools answers the calls itself and sends another request, until the model is done.
  async tools() {
    const runner = client.chat.completions.runTools({
      model,
      messages,
      tools: [
        {
          type: "function",
          function: {
            name: "get_weather",
            description: "Weather of a city",
            parameters,
            parse: JSON.parse,
            function: ({ city }) => {
              cities.push(city);
              return `mild in ${city}`;
            },
          },
        },
      ],
    });
    return { text: await runner.finalContent(), cities };
  },
  // The helper finalises a strict call when the index moves on.
  async helper() {
    const tool = { name: "get_weather", description: "Weather of a city", strict: true, parameters };
    const stream = client.chat.completions.stream({ model, messages, tools: [{ type: "function", function: tool }] });
    const response = await stream.finalChatCompletion();
    return {
      finish: response.choices[0].finish_reason,
      calls: response.choices[0].message.tool_calls.map((call) => call.function),
    };
  },
  async structured() {
    const schema = { name: "city", strict: true, schema: parameters };
    const options = { model, messages, response_format: { type: "json_schema", json_schema: schema } };
    const response = await client.chat.completions.create(options);
    return JSON.parse(response.choices[0].message.content);
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
