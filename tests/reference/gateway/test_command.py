"""The command as a process: what it prints, how it stops, what it logs."""

import asyncio
import json
import os
import signal
import sys

import httpx
import pytest

REQUEST = {"contents": [{"role": "user", "parts": [{"text": "a private word"}]}]}
CHUNK = {"id": "c", "model": "m", "choices": [{"index": 0, "delta": {"content": "half"}, "finish_reason": None}]}


class Command:
    """``bridgecheck-reference serve`` on a free port; stopped by its own pid."""

    def __init__(self, *arguments, env=None):
        self._arguments = [sys.executable, "-m", "bridgecheck_reference.gateway.main", "serve", *arguments]
        self._env = os.environ | (env or {})

    async def __aenter__(self):
        self.process = await asyncio.create_subprocess_exec(
            *self._arguments, env=self._env, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        self.line = (await asyncio.wait_for(self.process.stdout.readline(), 60)).decode()
        self.url = self.line.removeprefix("listening on ").strip()
        return self

    async def stop(self, number):
        """(exit code, rest of stdout, stderr)."""
        self.process.send_signal(number)
        out, err = await asyncio.wait_for(self.process.communicate(), 30)
        return self.process.returncode, out.decode(), err.decode()

    async def __aexit__(self, *_):
        if self.process.returncode is None:
            self.process.kill()
            await self.process.wait()


@pytest.mark.parametrize(("number", "quiet"), [(signal.SIGTERM, False), (signal.SIGINT, True)])
async def test_the_command_prints_its_address_and_stops_cleanly(lab, number, quiet):
    async with lab.upstream(lab.sse(CHUNK, end="stall")) as scripted:
        arguments = ["--upstream", f"openai-chat={scripted.url}/v1", "--listen", "127.0.0.1:0", "--key-env", "OWN_KEY"]
        async with Command(*arguments, *["--quiet"] * quiet, env={"OWN_KEY": "own-secret-key"}) as command:
            assert command.line.startswith("listening on http://127.0.0.1:") and command.line.endswith("\n")
            async with httpx.AsyncClient(base_url=command.url, trust_env=False, timeout=30) as client:
                path = "/v1beta/models/m:streamGenerateContent?alt=sse&key=client-secret-key"
                async with client.stream("POST", path, json=REQUEST) as answer:
                    pieces = answer.aiter_raw()
                    assert b"half" in await anext(pieces)
                    stopping = asyncio.create_task(command.stop(number))
                    rest = b"".join([piece async for piece in pieces])
                code, out, err = await stopping
        assert await lab.soon(scripted.hung_up)
    assert (code, out) == (0, "")
    (last,) = lab.events(rest)
    assert last["error"]["code"] == 503 and last["error"]["message"] == "the gateway is stopping"
    assert scripted.requests[0].headers["authorization"] == "Bearer own-secret-key"
    assert "secret" not in err and "private" not in err and "Traceback" not in err
    if quiet:
        assert err == ""
    else:
        (line,) = err.splitlines()
        assert "POST /v1beta/models/m:streamGenerateContent 200 openai-chat " in line and "gateway stopped" in line


async def test_a_unary_call_in_flight_is_answered_at_the_stop(lab):
    async with (
        lab.upstream(lab.Answer(end="stall")) as scripted,
        Command("--upstream", f"openai-chat={scripted.url}/v1", "--listen", "127.0.0.1:0") as command,
        httpx.AsyncClient(base_url=command.url, trust_env=False, timeout=30) as client,
    ):
        asking = asyncio.create_task(client.post("/v1beta/models/m:generateContent", json=REQUEST))
        while not scripted.requests:
            await asyncio.sleep(0.01)
        code, _, _ = await command.stop(signal.SIGTERM)
        answer = await asking
    assert code == 0 and answer.status_code == 503
    assert answer.json()["error"]["status"] == "UNAVAILABLE"


async def test_a_port_in_use_is_reported(lab):
    async with lab.upstream(lab.json({})) as scripted:
        address = scripted.url.removeprefix("http://")
        async with Command("--upstream", "gemini=http://127.0.0.1:9", "--listen", address) as command:
            assert command.line == ""
            _, err = await command.process.communicate()
    assert command.process.returncode == 2 and f"cannot listen on {address}" in err.decode()


async def test_a_log_line_is_one_line_for_any_path(lab, caplog):
    caplog.set_level("INFO", "bridgecheck_reference.gateway")
    async with lab.pair("gemini", lab.json({})) as pair:
        answer = await pair.client.post("/v1beta/models/a%0Ab%1b:generateContent", content=json.dumps(REQUEST))
    assert answer.json()["error"]["status"] == "NOT_FOUND"
    (line,) = caplog.messages
    assert "\n" not in line and "\x1b" not in line and "POST /v1beta/models/a?b?:generateContent 404" in line


async def test_the_log_holds_no_key_and_no_project_id(lab, caplog):
    caplog.set_level("INFO", "bridgecheck_reference.gateway")
    async with lab.pair("gemini", lab.json({}), key="own-SECRET-1") as pair:
        for name in ("projects/acme-417309", "client-SECRET-2", "own-SECRET-1"):
            path = f"/v1/{name}/models/m:generateContent?key=client-SECRET-2"
            await pair.client.post(path, content=json.dumps(REQUEST))
    assert len(caplog.messages) == 3
    assert "SECRET" not in caplog.text and "acme" not in caplog.text and "/v1/projects/[redacted]/" in caplog.text
