"""What scripts contain agrees with the judge: later turns, expectations, decoded documents, the played provider."""

import ast
import http.client
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from bridgecheck.cassette.interactions import RecordedInteraction
from bridgecheck.checks import judge
from bridgecheck.drivers import DEFAULT_TARGET, resolve
from bridgecheck.files import cassettes_root, scenarios, scenarios_root
from bridgecheck.model.evidence import CaseTranscript
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseKey
from bridgecheck.repro import runtime, runtime_provider
from bridgecheck.repro.runtime_adapters import fill_placeholders
from bridgecheck.repro.runtime_provider import Provider
from bridgecheck.repro.runtime_turns import fill_request
from bridgecheck.repro.script import LITERALS, MODULES, read_module, to_text_literal
from bridgecheck.run import plan
from bridgecheck.run.execute import run_with_transcript
from bridgecheck.run.library import Library
from bridgecheck.upstream.relay import DOCUMENTED_FIELDS
from bridgecheck.wire.facts import RECORDS


@pytest.mark.parametrize("module", [LITERALS, *MODULES])
def test_a_module_of_scripts_needs_the_standard_library_alone(module: str) -> None:
    """Imports of each other are one line each, which a script leaves out."""
    own, foreign = list[str](), list[str]()
    for node in ast.walk(ast.parse(read_module(module))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        own += [name for name in names if name in (LITERALS, *MODULES) and node.lineno == node.end_lineno]  # type: ignore[attr-defined]
        foreign += [name for name in names if name.partition(".")[0] not in sys.stdlib_module_names]
    assert foreign == own


def test_modules_of_scripts_define_no_name_twice() -> None:
    defined: list[str] = []
    for module in (LITERALS, *MODULES):
        for node in ast.parse(read_module(module)).body:
            targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
            named = [ast.unparse(target) for target in targets] or [getattr(node, "name", "")]
            defined += {name for whole in named for name in whole.split(", ") if name}
    assert sorted(defined) == sorted(set(defined))


def _cases(chosen: list[Scenario]) -> Iterator[tuple[Scenario, CaseKey, CaseTranscript, Library]]:
    """Yield each case as the reference plays it, without HTTP."""
    driver, library = resolve(DEFAULT_TARGET), Library(cassettes_root())
    for scenario in chosen:
        for case in plan.plan(scenario, driver, plan.Selection(addresses=("*::bridged-*-wire",))):
            _, transcript, _ = run_with_transcript(case, scenario, driver, library)
            if transcript is not None and not transcript.crash and not transcript.refused and not transcript.stopped:
                yield scenario, case.key, transcript, library


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_later_turns_are_filled_as_the_judge_fills_them(step: int) -> None:
    """Where a client has rules of its own, the script holds the requests that the judge filled in."""
    several = [
        scenario for scenario in scenarios(scenarios_root()) if len(scenario.turns) > 1 and not scenario.client_model
    ][::step]
    differences: list[str] = []
    count = 0
    for scenario, key, transcript, _ in _cases(several):
        case = {"client": key.client, "mode": key.mode, "known_fields": DOCUMENTED_FIELDS.get(key.client)}
        received = [list(turn.response.documents) for turn in transcript.client]
        for number, turn in enumerate(transcript.client[1:], 1):
            stated = RECORDS[key.client].body_in_mode(scenario.turns[number].client[key.client].body, key.mode)
            assert turn.request is not None
            count += 1
            if fill_request(case, stated, received) != turn.request.body:
                differences.append(f"{key} turn {number}")
    assert count > 200 / step
    assert differences == []


def transcript_facts(transcript: CaseTranscript) -> dict[str, Any]:
    return {
        "sent": [call.request.body for call in transcript.upstream if call.request],
        "received": [list(turn.response.documents) for turn in transcript.client],
        "raised": "",
    }


def _without_leaves(value: Any, leaf_count: int) -> Any:
    """Return the document without the leaves after the first few, so that expectations fail."""
    count = [0]

    def cut(item: Any) -> Any:
        if isinstance(item, dict):
            return {key: found for key, child in item.items() if (found := cut(child)) is not ...}
        if isinstance(item, list):
            return [found for child in item if (found := cut(child)) is not ...]
        count[0] += 1
        return item if count[0] <= leaf_count else ...

    return cut(value)


@pytest.mark.slow
@pytest.mark.parametrize("leaf_count", [10_000, 12, 3, 0])
def test_expectations_agree_with_the_judge(leaf_count: int) -> None:
    """Complete responses and responses with many missing leaves are compared."""
    from dataclasses import replace

    from bridgecheck.checks.expect_wire import applies, predicate_location
    from bridgecheck.run.record import Record, build_evidence

    driver = resolve(DEFAULT_TARGET)
    judged, broken, disagreements = 0, 0, []
    for scenario, key, whole, _ in _cases(scenarios(scenarios_root())[::6]):
        client = [
            replace(
                turn,
                response=replace(
                    turn.response, documents=tuple(_without_leaves(list(turn.response.documents), leaf_count))
                ),
            )
            for turn in whole.client
        ]
        upstream = [
            replace(call, request=replace(call.request, body=_without_leaves(call.request.body, leaf_count)))
            for call in whole.upstream
            if call.request
        ]
        found = build_evidence(
            key, Record(client=client, upstream=upstream, answered_by=list(range(len(upstream)))), scenario, driver
        )
        failed = {
            row.path for predicate in judge(found) if predicate.check == "expect.wire" for row in predicate.differences
        }
        bound: dict[str, str] = {}
        for predicate in scenario.expect.wire:
            if applies(predicate, found) and predicate.operator != "bind":
                index = predicate.index if predicate.on == "upstream_request" else predicate.turn
                client_documents = {
                    "on": predicate.on,
                    "index": index,
                    "path": predicate.path,
                    "operator": predicate.operator,
                    "operand": predicate.operand,
                }
                met = runtime.is_met(client_documents, transcript_facts(found.transcript), bound)
                judged, broken = judged + 1, broken + (not met)
                if (
                    met
                    and predicate_location(predicate) in failed
                    and sum(predicate_location(two) == predicate_location(predicate) for two in scenario.expect.wire)
                    == 1
                ):
                    disagreements.append(f"{key} {predicate_location(predicate)}: met here")
                if not met and predicate_location(predicate) not in failed:
                    disagreements.append(f"{key} {predicate_location(predicate)}: not met here")
    assert judged > 300
    assert (broken == 0) == (leaf_count == 10_000)
    assert disagreements == []


def test_documents_are_decoded_as_the_judge_decodes_them() -> None:
    library = Library(cassettes_root())
    read, disagreements = 0, []
    for scenario in scenarios(scenarios_root())[::5]:
        for dialect, scripts in scenario.turns[0].upstream.items():
            for mode in scripts:
                for recorded in library.load_recorded_cassette(scenario.id, dialect, mode).interactions:
                    answer = recorded.response(dialect, mode)
                    plain = not answer.text and all(isinstance(document, dict) for document in answer.documents)
                    if plain and answer.end == "complete" and "content-encoding" not in dict(recorded.headers):
                        read += 1
                        if runtime_provider.read_documents(recorded.body) != list(answer.documents):
                            disagreements.append(f"{scenario.id} {dialect} {mode}")
    assert read > 100
    assert disagreements == []


@pytest.mark.parametrize("body", [b'{"text": NaN}', b"[-Infinity]", b"<html>", b'{"text":'])
def test_a_body_that_is_no_json_stays_text(body: bytes) -> None:
    assert runtime_provider.read_documents(body) == [body.decode()]


def start_provider(recorded: list[RecordedInteraction]) -> Provider:
    made = [
        {
            "status": interaction.status,
            "headers": list(interaction.headers),
            "chunks": list(interaction.chunks),
            "end": interaction.end,
        }
        for interaction in recorded
    ]
    provider = Provider(made)
    provider.start()
    return provider


def send_request(provider: Provider, path: str, method: str = "POST") -> http.client.HTTPResponse:
    where = urlsplit(provider.url)
    assert where.hostname and where.port
    line = http.client.HTTPConnection(where.hostname, where.port, timeout=10)
    line.request(method, path, b'{"a": 1}')
    return line.getresponse()


def _recording(end: str, status: int = 200) -> RecordedInteraction:
    from bridgecheck.model.exchange import HttpRequest

    chunks = (b"data: {}\n\n", "data: ü\n\n".encode())
    return RecordedInteraction(HttpRequest("POST", "/"), status, (("content-type", "text/event-stream"),), chunks, end)  # type: ignore[arg-type]


def test_the_provider_answers_in_order_and_records_its_requests(capsys: pytest.CaptureFixture[str]) -> None:
    provider = start_provider([_recording("complete", 429), _recording("complete")])
    assert send_request(provider, "/v1/models", "GET").status == 404
    assert send_request(provider, "/v1/messages/count_tokens").status == 404
    assert json.loads(send_request(provider, "/v1beta/models/m", "GET").read())["name"] == "models/m"
    for path, status in (
        ("/v1/messages", 429),
        ("/p/v1beta/models/m:streamGenerateContent?alt=sse", 200),
        ("/x/chat/completions", 200),
    ):
        answer = send_request(provider, path)
        assert (answer.status, answer.read()) == (status, "data: {}\n\ndata: ü\n\n".encode())
    assert provider.requests == [{"a": 1}] * 3
    assert 'the provider received: POST /v1/messages\n  {"a": 1}' in capsys.readouterr().out


def test_an_exception_is_the_same_whatever_the_frames_of_its_language() -> None:
    node = "TypeError: no map\n    at C2 (index.cjs:8:1293)\n    at async Object.call (shim.mjs:47:22)"
    python = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nTypeError: no map'
    assert runtime.describe_exception(node) == runtime.describe_exception(python) == "TypeError: no map"
    assert runtime.describe_exception("TypeError: meet\n at noon") == "TypeError: meet"


def test_a_program_of_the_recipe_s_environment_is_one_of_this_environment(tmp_path: Path) -> None:
    command = fill_placeholders(
        "cd {here} && exec {here}/.venv/bin/python3 -m x --port {port}", str(tmp_path), port="7"
    )
    assert command == f"cd {tmp_path} && exec {sys.executable} -m x --port 7"


@pytest.mark.parametrize(("end", "error"), [("cut", http.client.IncompleteRead), ("reset", ConnectionResetError)])
def test_the_provider_breaks_its_stream_as_recorded(end: str, error: type[Exception]) -> None:
    answer = send_request(start_provider([_recording(end)]), "/v1/messages")
    with pytest.raises(error):
        answer.read()


@pytest.mark.parametrize(
    "code", ["a = 1\nb = '\\n'\n", "x = '''''\n", "y = '\u202e'", "z = 1\\\n + 2\n", f"w = '{'long ' * 60}'\n"]
)
def test_code_is_embedded_readably_and_round_trips(code: str) -> None:
    shown = to_text_literal(code)
    assert ast.literal_eval(shown).strip("\n") == code.strip("\n")
    assert (code in shown) == ("'''" not in code and "\u202e" not in code)


def test_base_urls_have_the_form_that_sdks_expect() -> None:
    assert urlsplit(RECORDS["openai-chat"].base_url).path == "/v1"


def test_a_converter_is_called_in_the_callers_order() -> None:
    class StreamingAdapter:
        async def to_upstream(self, body: Any, **about: Any) -> Any:
            return {"sent": body["n"], **about}

        def stream(self, **about: Any) -> Any:
            return self

        async def feed(self, event: Any) -> Any:
            return [event, event]

        def close(self) -> Any:
            return [{"last": 1}]

    case = {
        "client": "gemini", "upstream": "gemini", "mode": "stream", "converts": True, "plain": None, "known_fields": None,
        "requests": [{"body": {"n": 1}, "model": "m", "headers": {}}], "recorded": [{"status": 200, "documents": [{"e": 1}]}],
    }  # fmt: skip
    traffic = runtime.play(case, StreamingAdapter())
    assert (traffic["received"], traffic["steps"], traffic["raised"]) == (
        [[{"e": 1}, {"e": 1}, {"last": 1}]],
        [[3]],
        "",
    )
    assert traffic["sent"][0] == {"sent": 1, "mode": "stream", "model": "m", "client": "gemini", "upstream": "gemini"}
    assert json.dumps(traffic)
