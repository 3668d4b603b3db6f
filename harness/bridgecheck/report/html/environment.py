"""Templates to text. The home of jinja2: whatever a template prints is escaped, and what cannot be seen is spelt out.

Every value passes ``_spelt`` before it is escaped, so no template can forget it: a terminal code, a NUL, a lone
surrogate or a character that turns the direction of reading stands there as ``\\u202e``.
"""

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from bridgecheck.report.html.cited import text as cite
from bridgecheck.report.html.names import dialect, glyph
from bridgecheck.report.html.odd import shown
from bridgecheck.report.sidebyside import visible

PACKAGE: Final = "bridgecheck.report.html"
STYLE: Final = "style.css"
SCRIPT: Final = "page.js"


def render(template: str, **values: object) -> str:
    """The text of one page. ``values``: what the template asks for beside style, script and their policy."""
    style, script = _part(STYLE), _part(SCRIPT)
    return (
        _environment()
        .get_template(template)
        .render(style=Markup(style), script=Markup(script), policy=_policy(style, script), **values)
    )


def _policy(style: str, script: str) -> str:
    """Nothing but this style and this script; ``data:`` for the empty icon."""
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src '{_hash(style)}'",
            f"script-src '{_hash(script)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _part(name: str) -> str:
    return files(PACKAGE).joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(PACKAGE),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_spelt,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["shown"] = shown
    environment.globals.update(glyph=glyph, dialect=dialect, cite=cite)
    return environment


def _spelt(value: object) -> object:
    """Plain text with what does not show itself as escapes; markup and numbers as they are."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
