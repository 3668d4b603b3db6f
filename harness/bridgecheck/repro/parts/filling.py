"""The placeholders of a recipe."""

import os
import re
import sys


def filled(text: str, here: str, **values: str) -> str:
    """{here}: the folder of the recipe; {python}: this Python; and those that are given."""
    known = {"here": os.path.abspath(here), "python": sys.executable, **values}  # noqa: PTH100
    return re.sub(r"\{([a-z][a-z_]*)\}", lambda match: known.get(match[1], match[0]), text)
