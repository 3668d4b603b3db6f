"""Makes probes: a base document with one leaf in it, once with its first and once with its second value."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Final

from bridgecheck.documented_leaves import Kind, Leaf, Side, find_leaves
from bridgecheck.ledger import anthropic_samples, gemini_samples, openai_chat_samples
from bridgecheck.ledger.documents import (
    ALPHA,
    BETA,
    BYTES,
    SAME,
    SIGNED,
    Base,
    Sample,
    Table,
    add_optional_objects,
    canary_pair,
    find_holders_or_possible_holders,
    fits_kind,
    has_leaf,
    has_room,
    is_at_or_below,
    schema_with_property,
    set_value,
)
from bridgecheck.wire import Dialect

TABLES: Final[dict[Dialect, dict[Side, Table]]] = {
    "gemini": gemini_samples.TABLES, "openai-chat": openai_chat_samples.TABLES, "anthropic": anthropic_samples.TABLES,
}  # fmt: skip

VALUES: Final[dict[Kind, tuple[object, object]]] = {
    "text": (ALPHA, BETA), "integer": (11, 12), "number": (0.25, 0.5), "flag": (True, False),
    "texts": ([ALPHA], [BETA]),
}  # fmt: skip
"""What a leaf is run with if neither its table nor its key has values. Objects always need values of their own."""

_SCHEMAS: Final = canary_pair(schema_with_property("canary"))
_TOKEN: Final = {"token": "canary", "logprob": -0.5, "bytes": None, "top_logprobs": []}
_SERVER_TOOL: Final = {"toolType": "GOOGLE_SEARCH_WEB", "id": "one"}
VALUES_OF_KEY: Final[dict[str, tuple[object, object]]] = {
    "mimeType": ("image/png", "image/jpeg"), "media_type": ("image/png", "image/jpeg"), "data": BYTES,
    "fileUri": canary_pair("https://example.com/canary.png"), "url": canary_pair("https://example.com/canary.png"),
    "thoughtSignature": SIGNED, "signature": SIGNED, "args": canary_pair({"city": "canary"}),
    "input": canary_pair({"city": "canary"}), "arguments": canary_pair('{"city":"canary"}'), "parameters": _SCHEMAS,
    "parametersJsonSchema": _SCHEMAS, "responseJsonSchema": _SCHEMAS, "input_schema": _SCHEMAS,
    "language": ("PYTHON", "LANGUAGE_UNSPECIFIED"), "outcome": ("OUTCOME_OK", "OUTCOME_FAILED"),
    "toolCall": canary_pair(_SERVER_TOOL | {"args": {"queries": ["canary"]}}),
    "toolResponse": canary_pair(_SERVER_TOOL | {"response": {"found": "canary"}}),
    "videoMetadata": ({"startOffset": "11s"}, {"startOffset": "12s"}),
    "mediaResolution": ({"level": "MEDIA_RESOLUTION_LOW"}, {"level": "MEDIA_RESOLUTION_HIGH"}),
    "category": ("HARM_CATEGORY_HARASSMENT", "HARM_CATEGORY_HATE_SPEECH"), "created": (1700000011, 1700000012),
    "expires_at": (1700000011, 1700000012),
    "extra_content": ({"google": {"thought_signature": BYTES[0]}}, {"google": {"thought_signature": BYTES[1]}}),
    "reasoning_details": canary_pair([{"type": "reasoning.text", "text": "canary", "index": 0}]),
    "cache_control": ({"type": "ephemeral", "ttl": "5m"}, {"type": "ephemeral", "ttl": "1h"}),
    "partMetadata": canary_pair({"note": "canary"}), "logprobs": canary_pair({"content": [_TOKEN]}),
}  # fmt: skip
"""Last key of a path -> what a leaf of that name is run with in any dialect, if the values are of its kind and its
table lists none. ``extra_content`` is of Google's own Chat endpoint, ``reasoning_details`` of OpenRouter."""


@dataclass(frozen=True, slots=True)
class Probe:
    """``base``: the document without the leaf, or with the base's own value; ``a`` and ``b``: with the leaf's two."""

    leaf: Leaf
    base_name: str
    base: Base
    a: Base
    b: Base
    values: tuple[object, object]

    @property
    def name(self) -> str:
        return f"{self.leaf.path} ({self.base_name})"


@dataclass(frozen=True, slots=True)
class LeafWithoutBaseOrValues:
    """A documented leaf that no base has room for or that has no values: a hole in the tables."""

    leaf: Leaf
    why: str


def make_probes(dialect: Dialect, side: Side) -> Iterator[Probe | LeafWithoutBaseOrValues]:
    """Yield one or more probes for every leaf that is not left out, in the order of the leaves."""
    table = TABLES[dialect][side]
    for leaf in find_leaves(dialect, side):
        if not reason_left_out(leaf):
            yield from _leaf_probes(leaf, table)


def reason_left_out(leaf: Leaf) -> str:
    """Return why the leaf is not run, "" if it is."""
    table = TABLES[leaf.dialect][leaf.side]
    if (leaf.kind == "tag" or leaf.key == "type") and leaf.path not in table.samples:
        return "always the same word, or says which shape this is: every shape has leaves of its own"
    return next((reason for start, reason in table.left_out.items() if is_at_or_below(leaf.path, start)), "")


def _leaf_probes(leaf: Leaf, table: Table) -> Iterator[Probe | LeafWithoutBaseOrValues]:
    samples = table.samples.get(f"{leaf.path}@{leaf.kind}") or table.samples.get(leaf.path) or Sample()
    for sample in samples if isinstance(samples, tuple) else (samples,):
        yield from _sample_probes(leaf, table, sample)


def _sample_probes(leaf: Leaf, table: Table, sample: Sample) -> Iterator[Probe | LeafWithoutBaseOrValues]:
    values = (sample.a, sample.b) if sample.a is not None else _default_values(leaf)
    if values is None:
        yield LeafWithoutBaseOrValues(leaf, "no values")
        return
    if not all(fits_kind(value, leaf) for value in values):
        yield LeafWithoutBaseOrValues(leaf, f"values that are no {leaf.kind}")
        return
    names = sample.bases or _find_first_fitting_base(leaf, table)
    if not names:
        yield LeafWithoutBaseOrValues(leaf, "no base has room for it")
    for name in names:
        yield _build_probe(leaf, name, table.bases[name], sample, values)


def _default_values(leaf: Leaf) -> tuple[object, object] | None:
    """Return the values of the leaf's key, or else of its kind; None where it is an object without any."""
    values = VALUES_OF_KEY.get(leaf.key)
    return values if values and all(fits_kind(value, leaf) for value in values) else VALUES.get(leaf.kind)


def _find_first_fitting_base(leaf: Leaf, table: Table) -> tuple[str, ...]:
    """Return the first base that holds the leaf, or else the first that has room for it."""
    for fit in (has_leaf, has_room):
        for name, base in table.bases.items():
            top = _document_or_event_list(leaf, deepcopy(base))
            add_optional_objects(top, leaf.steps)
            if fit(top, leaf):
                return (name,)
    return ()


def _build_probe(leaf: Leaf, name: str, base: Base, sample: Sample, values: tuple[object, object]) -> Probe:
    a, b = (_build_document(leaf, base, sample, value) for value in values)
    without = deepcopy(base)
    for path, value in sample.also:
        if value != SAME:
            set_value(_document_or_event_list(leaf, without), path, deepcopy(value))
    return Probe(leaf, name, without, a, b, values)


def _build_document(leaf: Leaf, base: Base, sample: Sample, value: object) -> Base:
    made = deepcopy(base)
    top = _document_or_event_list(leaf, made)
    add_optional_objects(top, leaf.steps)
    holders = find_holders_or_possible_holders(top, leaf.steps)
    for holder in holders if sample.everywhere else [holders[sample.occurrence]]:
        holder[leaf.key] = deepcopy(value)
    for path, companion in sample.also:
        set_value(top, path, deepcopy(value if companion == SAME else companion))
    return made


def _document_or_event_list(leaf: Leaf, base: Base) -> object:
    return list(base.documents) if leaf.side == "stream" else base.documents[0]
