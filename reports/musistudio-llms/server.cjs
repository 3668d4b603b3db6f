// The server of @musistudio/llms, made and started as claude-code-router does it: a Server with the path of its config.json
// (https://github.com/musistudio/claude-code-router, src/server.ts). By require: the package's ES module cannot be imported
// ('Dynamic require of "child_process" is not supported').

const { default: Server } = require("@musistudio/llms");

new Server({ jsonPath: process.argv[2] }).start();
