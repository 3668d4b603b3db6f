// Portkey's gateway has no configuration of its own: each request says in a header which provider is meant and where it is
// (https://portkey.ai/docs/product/ai-gateway/configs: x-portkey-config, an object as JSON). Its clients set it once, as a
// default header. Loaded before the gateway, this sets it instead of the clients. Nothing else of a request is touched.

import { subscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";

const config = JSON.stringify(JSON.parse(readFileSync(process.env.CLIENT_CONFIG, "utf8")));

// https://nodejs.org/api/diagnostics_channel.html#http: told of a request before the server's own listener is.
subscribe("http.server.request.start", ({ request }) => {
  request.rawHeaders.push("x-portkey-config", config);
});
