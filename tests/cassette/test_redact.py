"""Secrets that are never written to a file."""

import base64
import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bridgecheck.cassette import redact, store
from bridgecheck.cassette.interactions import Cassette, RecordedInteraction
from bridgecheck.errors import SecretFound
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.secrets import find_secret_kinds

# Put together at run time: a scanner over this repository should find nothing either.
FAKE = {
    "sk-": "sk-" + "proj-" + "A1b2" * 8,
    "AIza": "AI" + "za" + "Sy" + "B" * 33,
    "ya29": "ya" + "29." + "a0Af" * 8,
    "bearer": "Bearer " + "abc123" * 5,
    "private key": "-----BEGIN " + "RSA PRIVATE KEY-----",
    "Web Token": ".".join(["ey" + "J" + "hbGciOi9", "ey" + "J" + "zdWIiOi9", "c2lnbmF0dXJl"]),
    "xox": "xo" + "xb-" + "123456789012",
    "GitHub": "gh" + "p_" + "a1" * 18,
    "AWS": "AK" + "IA" + "Q" * 16,
}


@pytest.mark.proposal("err-no-secret-leak")
@pytest.mark.parametrize("kind", FAKE)
def test_each_kind_of_secret_is_found_plain_escaped_and_in_base64(kind: str) -> None:
    secret = FAKE[kind]
    plain = json.dumps({"text": f"the key is {secret}, keep it"}).encode()
    assert any(kind.lower() in name.lower() for name in find_secret_kinds(plain))
    escaped = plain.replace(b"e", b"\\u0065").replace(b"-", b"\\u002d").replace(b".", b"\\u002e")
    assert find_secret_kinds(escaped) == find_secret_kinds(plain)
    inside = base64.b64encode(f"config: {secret} end of file".encode())
    assert find_secret_kinds(b'{"data": "' + inside + b'"}') == find_secret_kinds(plain)
    assert find_secret_kinds(base64.urlsafe_b64encode(f"?>?> {secret} end".encode()).rstrip(b"=")) == find_secret_kinds(
        plain
    )
    assert find_secret_kinds(gzip.compress(plain)) == find_secret_kinds(plain)


@pytest.mark.parametrize(
    "harmless",
    [
        "task-force-of-twenty-people",
        "a risk-averse-and-very-careful-bank",
        "Bearer of bad news, a long tale",
        "AIzaShort",
        "sk-short",
        "call_sk-" + "a" * 30,
        "thought_signature: " + base64.b64encode(bytes(range(256))).decode(),
    ],
)
def test_ordinary_text_is_no_secret(harmless: str) -> None:
    assert find_secret_kinds(harmless.encode()) == ()


@pytest.mark.parametrize(
    "part", ["request.uri", "request.headers", "request.body", "response.headers", "response.body"]
)
def test_saving_refuses_and_does_not_repeat_the_secret(
    part: str, tmp_path: Path, chat: Callable[..., RecordedInteraction], cassette_of: Callable[..., Cassette]
) -> None:
    secret = FAKE["AIza"]
    clean = chat(b"{}")
    request = clean.request
    corrupted = {
        "request.uri": replace(clean, request=replace(request, path="/p?key=" + secret)),
        "request.headers": replace(clean, request=replace(request, headers=(("x-goog-api-key", secret),))),
        "request.body": replace(clean, request=replace(request, body=secret.encode())),
        "response.headers": replace(clean, headers=(("set-cookie", secret),)),
        # Cut between two chunks, as a stream may cut it.
        "response.body": replace(clean, chunks=(secret[:9].encode(), secret[9:].encode())),
    }
    path = tmp_path / "c.yaml"
    with pytest.raises(SecretFound) as caught:
        store.save_cassette(path, cassette_of(clean, corrupted[part]))
    assert not path.exists()
    assert caught.value.where.endswith(f"interactions[1].{part}")
    assert secret not in str(caught.value)
    assert secret[6:] not in str(caught.value)


def test_only_headers_of_the_allow_list_are_recorded() -> None:
    sent = (("Content-Type", "application/json"), ("authorization", "x"), ("x-goog-api-key", "y"), ("user-agent", "z"))
    assert redact.allowed_request_headers(sent) == (("content-type", "application/json"),)
    actual = (
        ("retry-after", "2"),
        ("set-cookie", "a"),
        ("x-request-id", "b"),
        ("Content-Encoding", "gzip"),
        ("date", "c"),
    )
    assert redact.allowed_response_headers(actual) == (("retry-after", "2"), ("content-encoding", "gzip"))


def test_addresses_lose_keys_and_project_ids() -> None:
    path = "/v1/projects/my-proj-123/locations/eu/models/m:generateContent?alt=sse&key=abc&x=1"
    assert (
        redact.mask_keys_and_project_ids(path)
        == "/v1/projects/REDACTED/locations/eu/models/m:generateContent?alt=sse&key=REDACTED&x=1"
    )
    assert redact.mask_keys_and_project_ids("/v1beta/models/m:generateContent") == "/v1beta/models/m:generateContent"


def test_the_error_never_contains_the_http_request(chat: Callable[..., RecordedInteraction]) -> None:
    bad = replace(chat(b"{}"), request=HttpRequest("POST", "/p", (), FAKE["sk-"].encode()))
    with pytest.raises(SecretFound) as caught:
        redact.refuse_secrets(Cassette({}, (bad,)), "here")
    assert FAKE["sk-"][5:] not in str(caught.value)
