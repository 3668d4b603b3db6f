"""The closed schema of scenario files, and the messages for mistakes in one."""

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from bridgecheck.client_models import CLIENT_MODELS
from bridgecheck.errors import BadScenario, MissingPath, UnknownScenario
from bridgecheck.files import corpus_root, load_scenario, scenarios, scenarios_root, write_text
from bridgecheck.files.positions import json_position
from bridgecheck.files.schemas import requirement_schema, scenario_schema

Document = dict[str, Any]
Put = Callable[[Document], Path]
ROOT = Path(__file__).resolve().parents[2]


def test_a_scenario_is_read_completely(put: Put, document: Document) -> None:
    document["turns"] = [{"client": document["client"], "upstream": document["upstream"]}]
    scenario = load_scenario(put(document))
    assert (scenario.id, scenario.topic, scenario.slug) == ("messages/plain", "messages", "plain")
    assert len(scenario.turns) == 2
    assert scenario.turns[0].client["gemini"].model == "gemini-2.5-flash"
    assert scenario.turns[0].upstream["gemini"]["stream"][0].events is not None
    assert scenario.expect.wire[0].operator == "equals"
    assert scenario.expect.wire[0].on == "client_response"


def test_raw_writes_are_bytes_down_to_a_lone_surrogate(put: Put, document: Document) -> None:
    document["upstream"]["gemini"]["stream"] = [{"raw": ["data: ü", {"base64": "/w=="}, "\ud800"]}]
    scenario = load_scenario(put(json.loads(json.dumps(document))))
    assert scenario.turns[0].upstream["gemini"]["stream"][0].raw == (b"data: \xc3\xbc", b"\xff", b"\xed\xa0\x80")


def test_the_index_of_an_upstream_request_is_read(put: Put, document: Document) -> None:
    document["turns"] = [{"client": document["client"], "upstream": document["upstream"]}] * 3
    document["expect"]["wire"].append({"on": "upstream_request[3]", "path": "a", "absent": True})
    predicate = load_scenario(put(document)).expect.wire[1]
    assert (predicate.on, predicate.index, predicate.operator, predicate.operand) == (
        "upstream_request", 3, "absent", True,
    )  # fmt: skip


MISTAKES: list[tuple[str, Callable[[Document], object], str]] = [
    ("unknown key at the top", lambda d: d.update(foo=1), "unknown key 'foo'"),
    ("unknown key deep inside", lambda d: d["client"]["gemini"].update(bodi=1), "client.gemini.bodi"),
    ("unknown outcome key", lambda d: d["expect"]["outcome"].update(txt="x"), "expect.outcome.txt"),
    ("missing key", lambda d: d.pop("why"), "a required key is missing: why"),
    ("id is not the path", lambda d: d.update(id="messages/other"), "the id is not the path"),
    ("unknown dialect", lambda d: d["client"].update(gemni={"body": {}}), "client.gemni"),
    ("unknown level", lambda d: d.update(level="must"), "level"),
    ("two bodies", lambda d: d["upstream"]["gemini"]["unary"][0].update(events=[]), "exactly one of body, events"),
    ("two operators", lambda d: d["expect"]["wire"][0].update(present=True), "exactly one operator"),
    ("no regular expression", 
     lambda d: d["expect"].update(wire=[{"on": "client_response", "path": "", "matches": "("}]),
     "no regular expression"),
    ("MUST without a wire predicate", lambda d: d["expect"].update(wire=[]), "at least one literal expectation"),
    ("MUST on a weak basis", lambda d: d["basis"].update(kind="house"), "a MUST rests on"),
    ("MUST on a page as a whole", lambda d: d["basis"].update(ref="https://ai.google.dev/api/generate-content"), 
     "names the section"),
    ("MUST without its duty", lambda d: d["basis"].pop("duty"), "basis.duty"),
    ("mode without a script", lambda d: d["upstream"]["gemini"].pop("stream"), "the mode stream is listed"),
    ("unknown capability", lambda d: d.update(requires=["telepathy"]), "no such capability"),
    ("text that is a number", lambda d: d.update(title=3), "title"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), [m[1:] for m in MISTAKES], ids=[m[0] for m in MISTAKES])
def test_a_mistake_is_refused_with_its_location_and_next_step(
    put: Put, document: Document, change: Callable[[Document], object], message: str
) -> None:
    path = put(document)
    change(document)
    path.write_text(json.dumps(document, indent=2), encoding="utf-8")
    with pytest.raises(BadScenario) as refused:
        load_scenario(path)
    text = str(refused.value)
    assert message in text
    assert str(path) in refused.value.where
    assert refused.value.next_step == "bridgecheck lint"


def test_the_position_points_at_the_unknown_key(put: Put, document: Document) -> None:
    document["client"]["gemini"]["bodi"] = {}
    path = put(document)
    with pytest.raises(BadScenario) as refused:
        load_scenario(path)
    line = int(refused.value.where.split(":")[-2])
    assert '"bodi"' in path.read_text(encoding="utf-8").splitlines()[line - 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", ":1:2"), ('{"a": 1,\n "a": 2}', "stands twice"), ("[1,]", ":1:4"),
        ("{" + ", ".join(f'"{number % 99_999}": 1' for number in range(100_000)) + "}", "'0' stands twice"),
        ("[" * 100_000 + "]" * 100_000, "it nests too deeply"),
    ],
    ids=["cut off", "key twice", "comma", "100,000 keys", "100,000 levels"],
)  # fmt: skip
def test_invalid_json_is_refused_with_its_line(corpus: Path, text: str, message: str) -> None:
    path = corpus / "scenarios" / "messages" / "broken.json"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadScenario, match=r"broken\.json") as refused:
        load_scenario(path)
    assert message in str(refused.value)


POSITIONS = [
    ('{"a": [1, {"b": 2}]}', ["a", 1, "b"], "1:17"),
    ('{\n "x": "}]",\n "a": 1}', ["a"], "3:7"),
    ('{"a": {"b": 1}}', ["a", "missing"], "1:7"),
    ("[]", [0], "1:1"),
]


@pytest.mark.parametrize(("text", "path", "place"), POSITIONS)
def test_positions_of_paths(text: str, path: list[str | int], place: str) -> None:
    assert json_position(text, path) == place


def test_globs_topics_and_tags_choose_scenarios(put: Put, document: Document) -> None:
    put(document)
    put({**document, "id": "tools/parallel", "tags": ["tools"]})
    root = scenarios_root()
    assert [s.id for s in scenarios(root)] == ["messages/plain", "tools/parallel"]
    assert [s.id for s in scenarios(root, ["tools"])] == ["tools/parallel"]
    assert [s.id for s in scenarios(root, ["*/pl*"])] == ["messages/plain"]
    assert [s.id for s in scenarios(root, ["tools/parallel::bridged-*"])] == ["tools/parallel"]
    assert [s.id for s in scenarios(root, tags=["plain"])] == ["messages/plain"]


def test_an_unknown_scenario_is_refused_with_the_nearest_one(put: Put, document: Document) -> None:
    put(document)
    with pytest.raises(UnknownScenario, match="messages/plain"):
        scenarios(scenarios_root(), ["messages/plian"])
    with pytest.raises(UnknownScenario, match="no scenario has the tag nope"):
        scenarios(scenarios_root(), tags=["nope"])


def test_an_invalid_scenario_outside_the_selection_is_not_read(put: Put, document: Document) -> None:
    put(document)
    put({**document, "id": "tools/broken", "level": "NEVER"})
    assert len(scenarios(scenarios_root(), ["messages"])) == 1
    with pytest.raises(BadScenario):
        scenarios(scenarios_root())


def test_a_missing_corpus_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGECHECK_CORPUS", str(tmp_path / "nowhere"))
    with pytest.raises(MissingPath, match="nowhere"):
        corpus_root()


def test_the_corpus_of_the_checkout_is_found() -> None:
    assert corpus_root() == ROOT


@pytest.mark.parametrize(
    ("name", "schema"),
    [("schema.json", scenario_schema), ("requirements/schema.json", requirement_schema)],
)
def test_the_exported_schema_matches_the_code(name: str, schema: Callable[[], Document]) -> None:
    written = json.loads((ROOT / "scenarios" / name).read_text(encoding="utf-8"))
    assert written == json.loads(json.dumps(schema())), "make schema writes it anew"


def test_the_exported_schema_is_closed(document: Document) -> None:
    import jsonschema

    validator = jsonschema.Draft202012Validator(scenario_schema())
    assert validator.is_valid(document)
    document["client"]["gemini"]["bodi"] = {}
    assert not validator.is_valid(document)


def test_writing_is_atomic_and_only_on_change(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file.json"
    assert write_text(path, "one\n")
    assert not write_text(path, "one\n")
    assert write_text(path, "two\n")
    assert path.read_text() == "two\n"
    assert [p.name for p in path.parent.iterdir()] == ["file.json"]


def put_conversation(put: Put, document: Document, client_models: object) -> None:
    second = deepcopy(document["client"])
    second["gemini"]["body"]["contents"] += [{"$received": 0}, {"role": "user", "parts": [{"text": "Sure?"}]}]
    second["openai-chat"]["body"]["messages"] += [{"$received": 0}, {"role": "user", "content": "Sure?"}]
    document["turns"] = [{"client": second, "upstream": document["upstream"]}]
    document["client_models"] = client_models
    put(document)


def test_each_client_model_plays_the_scenario_in_its_own_dialect(put: Put, document: Document) -> None:
    put_conversation(put, document, "all")
    whole, *variants = scenarios(scenarios_root())
    assert {variant.client_model for variant in variants} == {
        name for name, model in CLIENT_MODELS.items() if model.dialect != "anthropic"
    }
    for variant in variants:
        assert variant.id == f"{whole.id}@{variant.client_model}"
        assert variant.file_id == whole.id
        assert [list(turn.client) for turn in variant.turns] == [[CLIENT_MODELS[variant.client_model].dialect]] * 2
        assert variant.expect == whole.expect


def test_a_glob_selects_what_is_played_for_client_models_too(put: Put, document: Document) -> None:
    put_conversation(put, document, ["gemini-cli", "openai-node"])
    names = ["messages/plain", "messages/plain@gemini-cli", "messages/plain@openai-node"]

    def find_ids(glob: str) -> list[str]:
        return [scenario.id for scenario in scenarios(scenarios_root(), [glob])]

    assert find_ids("messages/plain") == find_ids("messages") == find_ids("messages/plain::bridged-*") == names
    assert find_ids("messages/plain::bridged-gemini-to-openai-chat-unary-wire") == names[:1]
    assert find_ids("messages/plain@gemini-cli") == find_ids("*@gemini-*::bridged-*") == names[1:2]
    with pytest.raises(UnknownScenario, match="messages/plain@gemini-cli"):
        find_ids("messages/plain@gemini-clj")


def test_a_client_model_has_to_fit_the_scenario(put: Put, document: Document) -> None:
    for wrong, message in ((["nobody"], "no such client model"), (["claude-code"], "claude-code speaks anthropic")):
        with pytest.raises(BadScenario, match=message):
            (
                put_conversation(put, deepcopy(document), wrong),
                load_scenario(scenarios_root() / "messages" / "plain.json"),
            )
    document["client_models"] = "all"
    with pytest.raises(BadScenario, match="client models where nothing is sent again"):
        load_scenario(put(document))
