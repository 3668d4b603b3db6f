// The server of @musistudio/llms, made and started as claude-code-router does it: a Server with the path of its config.json
// (https://github.com/musistudio/claude-code-router, src/server.ts). By require: the package's ES module cannot be imported
// ('Dynamic require of "child_process" is not supported').

const { default: Server } = require("@musistudio/llms");

const server = new Server({ jsonPath: process.argv[2] });

// The server asks for whatever model it is told. claude-code-router's Router tells it: "provider_name,model_name" as it comes
// where config.json lists that model for that provider, else a model of its own choice; here the first one listed.
server.addHook("preHandler", async ({ body }) => {
  if (!body?.model) return;
  const [name, model] = body.model.split(",");
  const { models } = server.configService.get("providers").find((provider) => provider.name === name);
  if (!models.includes(model)) body.model = `${name},${models[0]}`;
});

server.start();
