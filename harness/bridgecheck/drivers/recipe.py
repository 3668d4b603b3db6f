"""adapter.toml: how an adapter is reached and what it claims, so that a CI job need only name the file.

    target = "python:my_gateway.conformance:adapter"
    claims = ["tools", "parallel_tools"]     # takes the place of the adapter's own; without it they hold

A recipe that starts a gateway and points it at recorded traffic does not exist yet.
"""

import json
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from bridgecheck.drivers.driver import Driver
from bridgecheck.errors import BadRecipe
from bridgecheck.model.capability import CAPABILITIES
from bridgecheck.model.jsonvalue import arr, text
from bridgecheck.wire import JsonObject

SUFFIX: Final = ".toml"
FILE: Final = "adapter.toml"
KEYS: Final = ("target", "claims")

_HEAD: Final = """\
# How bridgecheck reaches this adapter: bridgecheck run --adapter {place}
# claims: what is demanded of it. What it does not claim is not judged, and noted where it works.
"""


def read_recipe(place: str) -> JsonObject:
    """Raises BadRecipe: no file, no TOML, a key it does not have, or a claim there is not."""
    path = Path(place)
    try:
        recipe: JsonObject = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as wrong:
        next_step = f"bridgecheck init --adapter TARGET {path.parent}"
        raise BadRecipe(f"no recipe can be read: {wrong.strerror}", place, f"an {FILE}", next_step) from wrong
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as wrong:
        raise BadRecipe(f"no TOML: {wrong}", place, "TOML") from wrong
    for what, expected in _mistakes(recipe):
        raise BadRecipe(what, place, expected)
    return recipe


def claiming(driver: Driver, recipe: JsonObject, place: str) -> Driver:
    """The adapter as the recipe has it; ``place`` is what it is called by from then on."""
    if "claims" not in recipe:
        return replace(driver, target=place)
    claims = frozenset(map(text, arr(recipe["claims"])))
    return replace(driver, target=place, info=replace(driver.info, claims=claims), judged_on_all=False)


def recipe_text(place: Path, target: str, claims: Collection[str]) -> str:
    """The file, each claim with the scenario that tells whether it holds."""
    shown = [f"  {json.dumps(claim)},  # {CAPABILITIES[claim]}" for claim in CAPABILITIES if claim in claims]
    lines = ["claims = [", *shown, "]"] if shown else ["claims = []"]
    return _HEAD.format(place=place) + "\n".join([f"target = {json.dumps(target)}", *lines]) + "\n"


def _mistakes(recipe: JsonObject) -> Iterator[tuple[str, str]]:
    for key in recipe:
        if key not in KEYS:
            yield f"unknown key {key!r}; recipes that start a gateway do not exist yet", f"among {', '.join(KEYS)}"
    if not text(recipe.get("target")):
        yield "the recipe names no adapter", 'target = "python:package.module:object"'
    claims = recipe.get("claims", [])
    if not isinstance(claims, list) or not all(isinstance(claim, str) for claim in claims):
        yield f"claims is no list of names: {claims!r}", f"among {', '.join(CAPABILITIES)}"
    for claim in arr(claims):
        if claim not in CAPABILITIES:
            yield f"unknown capability {claim!r}", f"among {', '.join(CAPABILITIES)}"
