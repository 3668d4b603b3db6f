"""Loads YAML of others: neither its aliases nor its nesting make more of it than a file of its size can hold.

Nine aliases of nine aliases, eight times, are 500 bytes and 40 million values. PyYAML's loader in C overflows its stack
on some ten thousand levels, which ends the process. vcrpy itself writes aliases, for headers that two requests share.
"""

import re
from typing import TYPE_CHECKING, Final

from bridgecheck.model.jsonvalue import MAX_NESTING

if TYPE_CHECKING:
    from yaml.nodes import Node

_MAX_EXPANDED: Final = 10
"""Times its own size, in characters, that a file may have when every alias stands for what it names."""

_ALWAYS_ALLOWED: Final = 1_000_000
"""Characters that any file may expand to."""

_DEEPEST_UNREAD: Final = 1_000
"""Brackets, dashes or spaces of indentation with which a file cannot nest deeply enough to do harm."""

_ANCHOR: Final = re.compile(r"(?:^|[\s\[{,:-])&[^\s\[\]{},]")


class TooLargeWhenRead(ValueError):
    """``str()`` says what would be too large."""


def load_yaml(text: str) -> object:
    """Return the value of a YAML text. Raises yaml.YAMLError and TooLargeWhenRead."""
    import yaml

    loader_class = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    if _may_nest_deeply(text):
        _refuse_deep_nesting(text, loader_class)
    loader = loader_class(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        if _ANCHOR.search(text):
            _refuse_expansion(node, max(_ALWAYS_ALLOWED, _MAX_EXPANDED * len(text)))
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _may_nest_deeply(text: str) -> bool:
    openings = text.count("[") + text.count("{") + text.count("- ") + text.count("? ")
    return openings > _DEEPEST_UNREAD or " " * _DEEPEST_UNREAD in text


def _refuse_deep_nesting(text: str, loader_class: type) -> None:
    """Raises TooLargeWhenRead, and yaml.YAMLError. Events are read one by one, without recursion."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=loader_class):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_NESTING:
            raise TooLargeWhenRead(f"it nests deeper than {MAX_NESTING} levels")


def _refuse_expansion(root: "Node", limit: int) -> None:
    """Raises TooLargeWhenRead. An alias names what stands before it, so what it names has been measured."""
    sizes: dict[int, int] = {}

    def measure(node: "Node") -> int:
        known = sizes.get(id(node))
        if known is not None:
            return known
        sizes[id(node)] = limit + 1  # of an alias inside of what it names, which has no end
        children = node.value if isinstance(node.value, list) else []
        pairs = (child if isinstance(child, tuple) else (child,) for child in children)
        size = sum(measure(part) for pair in pairs for part in pair) + (1 if children else len(node.value) + 1)
        if size > limit:
            raise TooLargeWhenRead(f"its aliases expand to more than {limit} characters")
        sizes[id(node)] = size
        return size

    measure(root)
