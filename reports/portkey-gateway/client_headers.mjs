// Portkey's gateway has no configuration of its own: each request says in headers which provider is meant and where it is
// (https://portkey.ai/docs/api-reference/inference-api/headers, https://portkey.ai/docs/integrations/llms/byollm). Its
// clients set them once, as default headers. Loaded before the gateway, this sets them instead of the clients, whose own key
// gives way to the provider's: "Authorization: Bearer PROVIDER_KEY" of those pages. Nothing else of a request is touched.

import { subscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";

const headers = Object.entries(JSON.parse(readFileSync(process.env.CLIENT_HEADERS, "utf8")));
const names = new Set(headers.map(([name]) => name));

// https://nodejs.org/api/diagnostics_channel.html#http: told of a request before the server's own listener is.
subscribe("http.server.request.start", ({ request }) => {
  const { rawHeaders: raw } = request;
  const others = raw.filter((_, index) => !names.has(raw[index - (index % 2)].toLowerCase()));
  raw.splice(0, raw.length, ...others, ...headers.flat());
});
