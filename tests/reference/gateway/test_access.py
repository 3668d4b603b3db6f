"""Who may spend a key that the gateway holds, and how long a connection may stand without a request."""

import asyncio
import json
import time

import pytest

from bridgecheck_reference.errors import ConfigError
from bridgecheck_reference.gateway.config import GatewayConfig, UpstreamUrlAndKey
from bridgecheck_reference.gateway.main import _parser, settings

PATH = "/v1/chat/completions"
REQUEST = {"model": "m", "messages": [{"role": "user", "content": "Hello"}]}
ANSWER = {
    "id": "c", "object": "chat.completion", "model": "m", "created": 1,
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
}  # fmt: skip
LOCAL = GatewayConfig((UpstreamUrlAndKey("openai-chat", "http://127.0.0.1:1/v1", "own-key"),))

REFUSED = {
    "name of the page's own": {"host": "evil.example:3999"},
    "name that begins like the own": {"host": "localhost.evil.example"},
    "another address": {"host": "192.0.2.7:3999"},
    "no host": {"host": ""},
    "host that is none": {"host": "[::1"},
    "page of another site": {"origin": "https://evil.example"},
    "page from a file or a sandbox": {"origin": "null"},
    "page of another local server": {"origin": "http://127.0.0.1:5173"},
    "image of another site": {"sec-fetch-site": "cross-site"},
    "page under another port": {"sec-fetch-site": "same-site"},
}
SERVED = {
    "SDK": {},
    "name for this machine": {"host": "localhost:3999"},
    "name in another case": {"host": "LocalHost"},
    "address of version 6": {"host": "[::1]:3999"},
    "own page": {"host": "localhost:3999", "origin": "http://localhost:3999", "sec-fetch-site": "same-origin"},
    "address typed into a browser": {"sec-fetch-site": "none"},
}


@pytest.mark.parametrize("headers", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("path", [PATH, "/v1/models", "/v1/messages"])
async def test_a_web_page_does_not_spend_the_key(lab, path, headers):
    async with lab.pair("openai-chat", lab.json(ANSWER), key="own-key") as pair:
        if path == "/v1/models":
            response = await pair.client.get(path, headers=headers)
        else:
            response = await pair.client.post(path, json={**REQUEST, "max_tokens": 1}, headers=headers)
    assert response.status_code == 403
    assert "error" in response.json()
    assert "access-control-allow-origin" not in response.headers
    assert pair.upstream.requests == []


@pytest.mark.parametrize("headers", SERVED.values(), ids=SERVED)
async def test_clients_of_this_machine_are_served(lab, headers):
    async with lab.pair("openai-chat", lab.json(ANSWER), key="own-key") as pair:
        response = await pair.client.post(PATH, json=REQUEST, headers=headers)
    assert response.status_code == 200
    assert pair.upstream.requests[0].headers["authorization"] == "Bearer own-key"


@pytest.mark.parametrize("headers", REFUSED.values(), ids=REFUSED)
async def test_who_brings_its_own_key_comes_under_any_name(lab, headers):
    async with lab.pair("openai-chat", lab.json(ANSWER)) as pair:
        response = await pair.client.post(PATH, json=REQUEST, headers={"authorization": "Bearer mine", **headers})
    assert response.status_code == 200


@pytest.mark.parametrize(("more", "status"), [(b"", b"200"), (b"origin: http://localhost\r\n", b"403")])
async def test_what_names_no_host_is_no_browser(lab, more, status):
    async with lab.pair("openai-chat", lab.json(ANSWER), key="own-key") as pair:
        reader, writer = await asyncio.open_connection("127.0.0.1", pair.client.base_url.port)
        body = json.dumps(REQUEST).encode()
        head = b"POST %s HTTP/1.0\r\ncontent-type: application/json\r\ncontent-length: %d\r\n" % (
            PATH.encode(),
            len(body),
        )
        writer.write(head + more + b"\r\n" + body)
        assert (await reader.readline()).split()[1] == status
        writer.close()


async def test_a_name_of_a_container_is_allowed(lab):
    async with lab.pair("openai-chat", lab.json(ANSWER), key="own-key", allow_hosts=("gateway",)) as pair:
        assert (await pair.client.post(PATH, json=REQUEST, headers={"host": "gateway:3999"})).status_code == 200
        response = await pair.client.post(
            PATH, json=REQUEST, headers={"host": "gateway:3999", "origin": "http://elsewhere"}
        )
    assert response.status_code == 403


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": "Bearer client-key"}, 200),
        ({"x-api-key": "client-key"}, 200),
        ({"x-goog-api-key": "client-key"}, 200),
    ],
)
async def test_a_client_key_opens_the_gateway_and_goes_no_further(lab, headers, status):
    async with lab.pair("openai-chat", lab.json(ANSWER), key="own-key", client_key="client-key") as pair:
        response = await pair.client.post(PATH, json=REQUEST, headers=headers)
    assert response.status_code == status
    assert [request.headers["authorization"] for request in pair.upstream.requests] == ["Bearer own-key"] * (
        status == 200
    )
    assert "client-key" not in response.text


async def test_beyond_this_machine_any_address_is_its_own(lab):
    settings = {"key": "own-key", "client_key": "client-key", "listen_host": "0.0.0.0"}
    async with lab.pair("openai-chat", lab.json(ANSWER), **settings) as pair:
        headers = {"authorization": "Bearer client-key"}
        served = await pair.client.post(PATH, json=REQUEST, headers={**headers, "host": "192.0.2.7:3999"})
        refused = await pair.client.post(PATH, json=REQUEST, headers={**headers, "host": "evil.example"})
    assert (served.status_code, refused.status_code) == (200, 403)


def read(*arguments: str) -> GatewayConfig:
    env = {"OWN_KEY": "own-key", "CLIENT_KEY": "client-key"}
    options = _parser().parse_args(["serve", "--upstream", "openai-chat=http://127.0.0.1:1/v1", *arguments])
    return settings(options, env)[0]


def test_the_command_line_says_who_may_come():
    config = read(
        "--key-env", "OWN_KEY", "--client-key-env", "CLIENT_KEY", "--allow-host", "Gateway", "--listen", "0.0.0.0:0"
    )  # fmt: skip
    assert (config.client_key, config.allow_hosts, config.listen_host) == ("client-key", ("gateway",), "0.0.0.0")
    assert "client-key" not in repr(config) and "own-key" not in repr(config)


def test_a_file_says_who_may_come(tmp_path):
    path = tmp_path / "gateway.toml"
    path.write_text(
        'client_key_env = "CLIENT_KEY"\nallow_hosts = ["gateway"]\nheader_timeout_s = 3\n'
        '[upstreams.openai-chat]\nurl = "http://127.0.0.1:1/v1"\nkey_env = "OWN_KEY"\n'
    )
    config = read("--config", str(path), "--key-env", "OWN_KEY")
    assert (config.client_key, config.allow_hosts, config.header_timeout_s) == ("client-key", ("gateway",), 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--key-env", "OWN_KEY", "--listen", "0.0.0.0:0"], "--client-key-env"),
        (["--client-key-env", "CLIENT_KEY"], "has no key of its own"),
        (["--key-env", "OWN_KEY", "--client-key-env", "ABSENT"], "ABSENT"),
        (["--allow-host", "http://gateway"], "without scheme and port"),
    ],
)
def test_settings_that_would_give_the_key_away_are_refused(arguments, message):
    with pytest.raises(ConfigError, match=message):
        read(*arguments)


@pytest.mark.parametrize(
    "begin", [b"", b"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\n"], ids=["nothing", "half of the headers"]
)
async def test_a_connection_without_a_request_ends(lab, begin):
    async with lab.pair("openai-chat", lab.json(ANSWER), header_timeout_s=0.2) as pair:
        reader, writer = await asyncio.open_connection("127.0.0.1", pair.client.base_url.port)
        started = time.monotonic()
        writer.write(begin)
        while not reader.at_eof() and time.monotonic() - started < 10:
            writer.write(b"x-more: 1\r\n" if begin else b"")
            try:
                await asyncio.wait_for(reader.read(1), 0.05)
            except TimeoutError:
                continue
            except ConnectionError:
                break
        assert time.monotonic() - started < 10, "the connection still stands"
        writer.close()
        assert (await pair.client.post(PATH, json=REQUEST)).status_code == 200


async def test_a_slow_body_and_a_second_request_are_no_slow_headers(lab):
    async with lab.pair("openai-chat", lab.json(ANSWER), header_timeout_s=0.2) as pair:

        async def slowly():
            yield b'{"model": "m", '
            await asyncio.sleep(0.5)
            yield b'"messages": [{"role": "user", "content": "Hello"}]}'

        for _ in range(2):
            response = await pair.client.post(PATH, content=slowly(), headers={"content-type": "application/json"})
            assert response.status_code == 200
            await asyncio.sleep(0.3)
