"""Adapters with one mistake that shows in every direction, streamed or not: gateways as they are met, not an edit of the
reference. One mistake is to be one finding a direction at most, whatever else it breaks.

    python tests/faulty_adapters/one_mistake.py [NAME ...] [--every N]

prints the findings of each over the corpus at wire level.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

sys.path.insert(0, str(Path(__file__).parents[1] / "liberties"))

from liberty import Conversion, Liberty, LibertyAdapter, PassingOn

from bridgecheck.drivers.driver import describe_adapter
from bridgecheck.files.corpus import cassettes_root, scenarios, scenarios_root
from bridgecheck.model.jsonvalue import obj
from bridgecheck.model.scenario import Scenario
from bridgecheck.model.verdict import CaseResult
from bridgecheck.report.findings import Finding, group_findings
from bridgecheck.run.execute import run_case
from bridgecheck.run.library import Library
from bridgecheck.run.plan import Selection, plan
from bridgecheck.wire import JsonObject

Keeps: TypeAlias = Callable[[str, object], bool]
Replace: TypeAlias = Callable[[str, object], object]


def drop(value: object, keeps: Keeps) -> object:
    """Return a document without the members and items for which ``keeps`` (name, value) says no; items have no name."""
    if isinstance(value, dict):
        return {name: drop(item, keeps) for name, item in value.items() if keeps(name, item)}
    if isinstance(value, list):
        return [drop(item, keeps) for item in value if keeps("", item)]
    return value


def change(value: object, replace: Replace, name: str = "") -> object:
    """Return a document with each member and item replaced by what ``replace`` (name, value) returns."""
    changed = replace(name, value)
    if isinstance(changed, dict):
        return {key: change(item, replace, key) for key, item in changed.items()}
    return [change(item, replace) for item in changed] if isinstance(changed, list) else changed


class Changing(PassingOn):
    """A machine that edits every event for the client."""

    def __init__(self, conversion: Conversion, edit: Callable[[JsonObject], JsonObject | None]) -> None:
        super().__init__(conversion)
        self.edit = edit

    def feed(self, event: JsonObject) -> list[JsonObject]:
        edited = self.edit(event)
        return [] if edited is None else [edited]


def in_requests(name: str, edit: Callable[[JsonObject], object]) -> Liberty:
    return Liberty(name, "", "", upstream_request=lambda document, _: obj(edit(document)))


def in_answers(
    name: str, edit: Callable[[JsonObject], object], edit_event: Callable[[JsonObject], JsonObject | None] | None = None
) -> Liberty:
    """``edit_event``: of a stream; None: as the answer in one piece."""
    return Liberty(
        name, "", "",
        client_response=lambda status, document, _: (status, obj(edit(document))),
        client_events=lambda conversion: Changing(conversion, edit_event or (lambda event: obj(edit(event)))),
    )  # fmt: skip


def drop_names(*names: str) -> Callable[[JsonObject], object]:
    return lambda document: drop(document, lambda name, _: name not in names)


FINISH_NAMES: Final = {"finishReason": "STOP", "finish_reason": "stop", "stop_reason": "end_turn"}
USAGE_NAMES: Final = ("usageMetadata", "usage")
SETTINGS: Final = (
    "temperature", "topP", "top_p", "topK", "top_k", "maxOutputTokens", "max_tokens", "max_completion_tokens", "seed",
    "stopSequences", "stop", "stop_sequences", "presencePenalty", "presence_penalty", "frequencyPenalty",
    "frequency_penalty", "candidateCount", "n", "logprobs", "responseLogprobs", "top_logprobs",
)  # fmt: skip
IMAGE_NAMES: Final = ("inlineData", "inline_data", "fileData", "image_url", "source")


def _is_thought(value: object) -> bool:
    document = obj(value)
    return document.get("thought") is True or document.get("type") in ("thinking", "redacted_thinking")


def drop_thoughts(document: JsonObject) -> object:
    return drop(document, lambda name, value: name not in ("reasoning_content", "reasoning") and not _is_thought(value))


def drop_thoughts_of_event(event: JsonObject) -> JsonObject | None:
    is_delta = obj(event.get("delta")).get("type") in ("thinking_delta", "signature_delta")
    return None if is_delta or _is_thought(event.get("content_block")) else obj(drop_thoughts(event))


def stop_always(document: JsonObject) -> object:
    return change(document, lambda name, value: FINISH_NAMES[name] if name in FINISH_NAMES and value else value)


def zero_usage(document: JsonObject) -> object:
    def zero(value: object) -> object:
        return change(value, lambda _, item: 0 if isinstance(item, int) and not isinstance(item, bool) else item)

    return change(document, lambda name, value: zero(value) if name in USAGE_NAMES else value)


def crash_on_image(document: JsonObject) -> object:
    def refuse(name: str, value: object) -> object:
        if name in IMAGE_NAMES and isinstance(value, dict):
            raise KeyError("image/png")
        return value

    return change(document, refuse)


def cut_streamed_arguments(event: JsonObject) -> JsonObject | None:
    def cut(name: str, value: object) -> object:
        if name in ("arguments", "partial_json") and isinstance(value, str):
            return value[:-1]
        return {} if name == "args" else value

    return obj(change(event, cut))


def empty_schemas(document: JsonObject) -> object:
    names = ("parameters", "parametersJsonSchema", "input_schema")
    return change(document, lambda name, value: {"type": "object"} if name in names else value)


def drop_system(document: JsonObject) -> object:
    return drop(
        document,
        lambda name, value: (
            name not in ("systemInstruction", "system") and obj(value).get("role") not in ("system", "developer")
        ),
    )


def drop_images(document: JsonObject) -> object:
    def keeps(name: str, value: object) -> bool:
        part = obj(value)
        return part.get("type") not in ("image", "image_url", "document", "file") and "inlineData" not in part

    return drop(document, keeps)


def drop_signatures(document: JsonObject) -> object:
    return drop(document, lambda name, _: name not in ("thoughtSignature", "thought_signature", "signature"))


def results_as_text(document: JsonObject) -> object:
    """Write results as Python prints them."""

    def write(name: str, value: object) -> object:
        if name == "functionResponse":
            return {**obj(value), "response": {"result": str(obj(value).get("response"))}}
        result = obj(value)
        if result.get("role") == "tool" or result.get("type") == "tool_result":
            return {**result, "content": f"Result: {result.get('content')}"}
        return value

    return change(document, write)


def first_call_alone(document: JsonObject) -> object:
    calls: list[object] = []

    def keeps(name: str, value: object) -> bool:
        part = obj(value)
        if (
            "functionCall" in part
            or part.get("type") == "tool_use"
            or (part.get("type") == "function" and "id" in part)
        ):
            calls.append(part)
            return len(calls) == 1
        return True

    return drop(document, keeps)


def all_errors_500(status: int, document: JsonObject, _: Conversion) -> tuple[int, JsonObject]:
    if status < 400:
        return status, document
    return 500, obj(change(document, lambda name, value: "Internal error" if name == "message" else value))


MISTAKES: Final = (
    in_requests("temperature-not-forwarded", drop_names("temperature")),
    in_requests("no-setting-forwarded", drop_names(*SETTINGS)),
    in_requests("system-dropped", drop_system),
    in_requests("images-dropped", drop_images),
    in_requests("crash-on-image", crash_on_image),
    in_requests("schemas-lost", empty_schemas),
    in_requests("results-as-printed", results_as_text),
    in_requests("tool-choice-dropped", drop_names("toolConfig", "tool_choice")),
    in_requests("signatures-not-sent-back", drop_signatures),
    in_requests("descriptions-dropped", drop_names("description")),
    in_requests("thinking-not-forwarded", drop_names("thinkingConfig", "reasoning_effort", "thinking", "output_config")),
    in_answers("thoughts-dropped", drop_thoughts, drop_thoughts_of_event),
    in_answers("finish-always-stop", stop_always),
    in_answers("usage-zero", zero_usage),
    in_answers("usage-dropped", drop_names(*USAGE_NAMES)),
    in_answers("streamed-arguments-cut", lambda document: document, cut_streamed_arguments),
    in_answers("first-call-alone", first_call_alone, lambda event: event),
    in_answers("citations-dropped", drop_names("annotations", "groundingMetadata", "citations")),
    Liberty("every-error-500", "", "", client_response=all_errors_500),
)  # fmt: skip


@cache
def _read_corpus() -> tuple[tuple[Scenario, ...], Library]:
    return tuple(scenarios(scenarios_root())), Library(cassettes_root())


def play_mistake(mistake: Liberty, every: int = 1, globs: Sequence[str] = ()) -> list[CaseResult]:
    """Play and judge the corpus at wire level; of its scenarios each ``every``-th, or cases that ``globs`` name."""
    driver = describe_adapter("mistake", LibertyAdapter(mistake))
    corpus, library = _read_corpus()
    selection = Selection(paths=("bridged",), layers=("wire",), addresses=tuple(globs))
    cases = ((scenario, case) for scenario in corpus[::every] for case in plan(scenario, driver, selection))
    return [run_case(case, scenario, driver, library) for scenario, case in cases]


def directions(finding: Finding) -> list[str]:
    return sorted({cell.column for cell in finding.cells})


def main() -> None:
    parser = argparse.ArgumentParser(prog="one_mistake.py")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    for mistake in MISTAKES:
        if options.names and mistake.name not in options.names:
            continue
        found = group_findings(play_mistake(mistake, options.every))
        print(f"== {mistake.name}: {len(found)} findings", flush=True)
        for finding in found:
            where = " ".join(directions(finding))
            print(
                f"  {finding.status} {finding.check} {len(finding.cases)} | {finding.one_line_summary[:150]} | {where}"
            )
            print(f"      {finding.example} {finding.explained_checks[:4]} {finding.differences[:1]}"[:330])


if __name__ == "__main__":
    main()
