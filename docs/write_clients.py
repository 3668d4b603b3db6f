"""``make docs``: writes docs/clients.md anew from the models of clients and the corpus."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from write_catalogue import LETTERS

from bridgecheck.client_models import CLIENT_MODELS, ClientModel
from bridgecheck.files import scenarios, scenarios_root
from bridgecheck.model.scenario import Scenario
from bridgecheck.wire import DIALECTS, Dialect

PAGE: Final = Path(__file__).resolve().parent / "clients.md"

_HEAD: Final = """# What real clients keep of an answer, and send again

What the next request holds is decided by the client's own rules about the answer before. Each client below is a model
in `harness/bridgecheck/client_models`: what it remembers, shows and sends. A scenario that lists it under
`client_models` is played once more as that client goes on (`topic/slug@name`), and `relay.client_remembers` gives every
answer of every case to the models of its dialect. Written by `docs/write_clients.py`: `make docs`.

*Known*: **run**, a test gives the same answers to the library's own code and gets the same history; **measured**, a
server was played to it; **read**, its code was read; **thread**, its maintainers or users say so in public.

| Model | Client, version | Drops | Keeps | Adds | Prints | Known |
| --- | --- | --- | --- | --- | --- | --- |
"""
_CORPUS: Final = """
## Where the corpus plays them

Conversations that are played for each client, by direction (client > upstream: G Gemini, O OpenAI Chat, A Anthropic).
Where none is, the cell says why. Text, tools and signatures are played for every client; thinking for those that send
it back, and each kind of them once, since their models differ in little else. Pictures are under text and signatures
(`picture-to-be-changed`), switches of provider under the feature that they are about (`claude-calls-after-gemini`,
`gemini-goes-on-after-claude`). Whether a client keeps the text, parallel calls and pictures of an answer is looked at
in every case (`relay.client_remembers`); of a stream that breaks the frameworks keep nothing, or the text before an
error event; in `provider-switch` the history is what the scenario says, not what a client remembers.

| Model | Direction | Text alone | Tools | Signatures | Thinking |
| --- | --- | --- | --- | --- | --- |
"""
FEATURES: Final = ("plain text", "tools", "signatures", "thinking")
_REASONS: Final[dict[tuple[str, Dialect], str]] = {
    ("signatures", "anthropic"): "none: Anthropic signs thinking, not calls (see thinking)",
    ("thinking", "gemini"): "none: the client drops it, or another of its kind is played",
    ("thinking", "openai-chat"): "none: hosts of Chat sign no thinking (`reasoning-of-a-host-given-back`)",
    ("thinking", "anthropic"): "none: the client drops it, or another of its kind is played",
}
"""(feature, provider) -> why no conversation of the kind is played as a client goes on with it."""


def page(found: Iterable[Scenario]) -> str:
    variants = [scenario for scenario in found if scenario.client_model]
    rows = (_row(model) for model in CLIENT_MODELS.values())
    corpus = (row for model in CLIENT_MODELS.values() for row in _corpus_rows(model, variants))
    return _HEAD + "".join(rows) + _CORPUS + "".join(corpus)


def _row(model: ClientModel) -> str:
    texts = (model.drops, model.keeps, model.adds, model.prints, f"{model.how}: {_link(model.source)}")
    cells = (f"`{model.name}`", f"{model.client} {model.version}", *(text or "nothing" for text in texts))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def _link(source: str) -> str:
    return f"<{source}>" if source.startswith("https://") and " " not in source else source


def _corpus_rows(model: ClientModel, variants: list[Scenario]) -> Iterator[str]:
    own = [scenario for scenario in variants if scenario.client_model == model.name]
    for upstream in DIALECTS:
        played = [scenario for scenario in own if all(upstream in turn.upstream for turn in scenario.turns)]
        names = {
            feature: [scenario.slug for scenario in played if _feature(scenario) == feature] for feature in FEATURES
        }
        slugs = {feature: ", ".join(slug.partition("@")[0] for slug in names[feature]) for feature in FEATURES}
        cells = (slugs[feature] or _REASONS[feature, upstream] for feature in FEATURES)
        direction = f"{LETTERS[model.dialect]}>{LETTERS[upstream]}"
        yield f"| `{model.name}` | {direction} | {' | '.join(cells)} |\n"


def _feature(scenario: Scenario) -> str:
    return next((feature for feature in _REQUIRED_FIRST if feature in scenario.requires), "plain text")


_REQUIRED_FIRST: Final = ("thinking", "signatures", "tools")
"""The feature that a conversation stands under is the first of these that it requires."""


def main() -> None:
    PAGE.write_text(page(scenarios(scenarios_root())), encoding="utf-8")


if __name__ == "__main__":
    main()
