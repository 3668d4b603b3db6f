"""Words of this package: sides of an exchange, kinds of leaves, and the way to a leaf."""

from typing import Final, Literal, TypeAlias

Side: TypeAlias = Literal["request", "response", "stream"]
SIDES: Final[tuple[Side, ...]] = ("request", "response", "stream")

Kind: TypeAlias = Literal["text", "integer", "number", "flag", "object", "texts", "objects"]
"""What a leaf holds; ``tag`` names are ``text`` too."""

Steps: TypeAlias = tuple[str, ...]
"""Keys, ``[]`` or ``[tag]`` for members of lists, ``(tag)`` for an object of this tag."""
