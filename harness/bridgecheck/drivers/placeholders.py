"""``{port}`` and its like in a recipe: the known names are filled in, everything else stays as it is."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

FIXED: Final[dict[str, str]] = {
    "upstream_url": "where the recorded provider answers, without a path",
    "upstream_key": "what the provider takes for a key",
    "upstream": "the provider's dialect; where it stands one process is started for each",
    "port": "a free port",
    "tmp": "a folder of the process's own, gone afterwards",
    "python": "the Python that runs bridgecheck",
    "here": "the folder of the recipe",
}
"""Name -> what it stands for."""

_NAMED: Final = re.compile(r"\{([a-z][a-z_]*)\}")


def names(template: str) -> Iterator[str]:
    """Every ``{name}``, known or not."""
    return (match[1] for match in _NAMED.finditer(template))


def filled(template: str, values: Mapping[str, str]) -> str:
    return _NAMED.sub(lambda match: values.get(match[1], match[0]), template)
