"""An MCP server over standard input and output: JSON-RPC 2.0, one message a line. It has one tool, ``gauge``.

``mcp_stdio_server.py LOG``: appends the arguments of each call to the file. Source: Model Context Protocol,
specification 2025-06-18, lifecycle, tools and stdio transport (2026-11-24).
"""

import json
import sys
from pathlib import Path
from typing import Any

TOOL: dict[str, Any] = {
    "name": "gauge",
    "description": "Height of the tide at a harbour",
    "inputSchema": {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]},
}


def handle_request(method: str, params: dict[str, Any], log: Path) -> dict[str, Any] | None:
    """Return the result, None for a method that is not known."""
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
            "serverInfo": {"name": "tide", "version": "1"},
        }  # fmt: skip
    if method == "tools/call":
        with log.open("a") as file:
            file.write(json.dumps(params["arguments"]) + "\n")
        return {"content": [{"type": "text", "text": f"3 m at {params['arguments']['at']}"}]}
    return {"ping": {}, "tools/list": {"tools": [TOOL]}}.get(method)


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        result = handle_request(request["method"], request.get("params") or {}, Path(sys.argv[1]))
        outcome = {"error": {"code": -32601, "message": "Method not found"}} if result is None else {"result": result}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **outcome}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
