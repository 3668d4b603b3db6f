// The server of @musistudio/llms, made and started as claude-code-router does it: a Server with the path of its config.json
// (https://github.com/musistudio/claude-code-router, src/server.ts). By require: the package's ES module cannot be imported
// ('Dynamic require of "child_process" is not supported').

const { default: Server } = require("@musistudio/llms");

const server = new Server({ jsonPath: process.argv[2] });

// The server asks for whatever model it is told, and claude-code-router's Router lets "provider_name,model_name" pass as it comes
// (src/utils/router.ts). A model of another maker is none of the provider's: it is as if no model had been named, and gets the
// default; here the first one listed.
const MODELS = { anthropic: /^claude/, gemini: /^gemini/, "openai-chat": /^(gpt|chatgpt|o\d)/ };

server.addHook("preHandler", async ({ body }) => {
  if (!body?.model) return;
  const [name, model] = body.model.split(",");
  const { models } = server.configService.get("providers").find((provider) => provider.name === name);
  if (!MODELS[name].test(model)) body.model = `${name},${models[0]}`;
});

server.start();
