"""``make docs``: writes docs/outcome.md anew: tables of ``wire.own_types_documents``, and what shims need.

The text around the tables stands in docs/outcome.head.md.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bridgecheck.model.express import FEATURES_OF_CAPABILITY, OPTIONAL_FEATURES
from bridgecheck.wire.own_types_documents import EXACTLY_ONE, NOT_BOTH, OBJECTS, Member

HERE: Final = Path(__file__).resolve().parent
PAGE: Final = HERE / "outcome.md"
HEAD: Final = HERE / "outcome.head.md"

_TABLE: Final = "| Member | Type | What it says | Absent or empty |\n| --- | --- | --- | --- |\n"
_ALIKE: Final = {"answer_part": "request_part", "event_part": "request_part", "choice": "answer"}
"""Objects whose members another table explains."""
_ORDER: Final = ("request", "answer", "event", *OBJECTS)


def page() -> str:
    shown = [name for name in dict.fromkeys(_ORDER) if name not in _ALIKE]
    return HEAD.read_text(encoding="utf-8") + "".join(map(_section, shown)) + _inexpressible_features()


def _section(name: str) -> str:
    rows = "".join(_row(member) for member in OBJECTS[name])
    return f"\n### {_title(name)}\n\n{_TABLE}{rows}{''.join(_rules(name))}"


def _row(member: Member) -> str:
    needed = "" if member.required else member.absent
    values = f": {', '.join(f'`{value}`' for value in member.values)}" if member.values else ""
    cells = (
        f"`{member.name}`",
        f"{_type(member.type)}{values}",
        member.meaning,
        "required" if member.required else needed,
    )
    return f"| {' | '.join(cells)} |\n"


def _type(kind: str) -> str:
    if kind.startswith("["):
        return f"list of {_type(kind.strip('[]'))}"
    kind = _ALIKE.get(kind, kind)
    return f"[{_title(kind)}](#{_title(kind).replace(' ', '-')})" if kind in OBJECTS else kind


def _title(name: str) -> str:
    return "part" if name == "request_part" else name.replace("_", " ")


def _rules(name: str) -> Iterator[str]:
    if name in EXACTLY_ONE:
        yield f"\nExactly one of {', '.join(f'`{name}`' for name in EXACTLY_ONE[name])}.\n"
    if name == "request_part":
        yield "`tool_result` and `detail` are for requests; in events `tool_call` is a [call piece](#call-piece).\n"
    pairs = [f"`{first}` or `{second}`" for first, second in NOT_BOTH.get(name, ())]
    if name == "answer":
        yield "\n`choices` stands in place of `parts` and the members of one answer, never beside them. A choice has\n"
        yield "those members itself, and an `index`.\n"
    elif pairs:
        yield f"\nNot both: {', '.join(pairs)}.\n"


def _inexpressible_features() -> str:
    claimed = "".join(
        f"| `{name}` | {', '.join(f'`{feature}`' for feature in features)} |\n"
        for name, features in FEATURES_OF_CAPABILITY.items()
    )
    named = ", ".join(f"`{name}`" for name in sorted(OPTIONAL_FEATURES))
    return (
        "\n## What types cannot express\n\nNot claiming a capability states that the types have no place for:\n\n"
        f"| Capability | Features |\n| --- | --- |\n{claimed}\n"
        f"`cannot_say` may name besides: {named}.\n\n"
        "`stream.finish` is for a library whose pieces of a stream have no field for why the answer ended. Its caller\n"
        "cannot see that one broke off, so that has to be an error; a reason that is told has to be right. `finish`\n"
        "is for one that has such a field nowhere: what only looks like a reason (calls are there, a status that all\n"
        "answers have) is none, and its adapter makes none of it.\n\n"
        "Text, calls, errors, and how many tokens were read and written can always be\n"
        "expressed.\n"
    )


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
