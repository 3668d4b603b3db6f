"""Rendering templates to text, with jinja2, whose home this is.

Every value passes ``_escape_invisible_unless_markup`` before it is escaped, so no template can forget it: a terminal
code, a NUL, a lone surrogate or a character that turns the reading direction is written as ``\\u202e``.
"""

import base64
import hashlib
import zlib
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from bridgecheck.checks import rules_of
from bridgecheck.model.counts import plural
from bridgecheck.model.published_finding import FINDING_MEANS
from bridgecheck.report.html.citations import cite_basis, cite_source, cite_text
from bridgecheck.report.html.matrix import STATUS_MEANS, describe_case_route, dialect_name, status_glyph
from bridgecheck.report.html.panels import make_difference_view
from bridgecheck.report.publication import published_facts
from bridgecheck.report.rests_on import name_scenarios
from bridgecheck.report.sentences import name_excuse, remainder_note, unmet_demand_lines
from bridgecheck.report.side_by_side import clip, escape_invisible
from bridgecheck.secrets import mask_text
from bridgecheck.wire import DIALECTS

PACKAGE: Final = "bridgecheck.report.html"
STYLE: Final = "style.css"
SCRIPT: Final = "page.js"
PACKED_LINE: Final = 32
"""Characters of base64 on a line."""


def render_page(template: str, **values: object) -> str:
    """Return the text of one page. ``values``: what the template asks for beside style, script and their policy."""
    style, script = _read_asset(STYLE), _read_asset(SCRIPT)
    policy = (
        f"default-src 'none'; style-src '{_sha256_source(style)}'; script-src '{_sha256_source(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"  # data: for the empty icon
    )
    page = _jinja_environment().get_template(template)
    return page.render(style=Markup(style), script=Markup(script), policy=policy, **values)


def _sha256_source(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _read_asset(name: str) -> str:
    return files(PACKAGE).joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _jinja_environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(PACKAGE), autoescape=True, undefined=StrictUndefined,
        finalize=_escape_invisible_unless_markup, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters.update(
        mark_invisible=mark_invisible, clip=clip, difference_view=make_difference_view,
        deflate_to_base64=deflate_to_base64,
    )  # fmt: skip
    environment.globals.update(
        glyph=status_glyph, dialect=dialect_name, cite_text=cite_text, cite_basis=cite_basis, cite_source=cite_source,
        plural=plural, remainder_note=remainder_note, name_excuse=name_excuse, rules_of=rules_of,
        describe_case_route=describe_case_route,
        dialects=DIALECTS, name_scenarios=name_scenarios, unmet_demand_lines=unmet_demand_lines,
        published_facts=published_facts, finding_means=FINDING_MEANS, status_means=STATUS_MEANS,
    )  # fmt: skip
    return environment


def _escape_invisible_unless_markup(value: object) -> object:
    """Return text with what does not show itself as escapes; markup and numbers as they are."""
    return value if isinstance(value, (Markup, int, float)) else escape_invisible(str(value))


def deflate_to_base64(markup: str) -> Markup:
    """Return rendered markup as the page's script unpacks it: a zlib stream, in base64. It is masked here, for who
    writes the page cannot look into it; the lines are shorter than a key, so that none is found in them by chance."""
    packed = base64.b64encode(zlib.compress(mask_text(markup).encode(), 9)).decode("ascii")
    return Markup("\n").join(packed[at : at + PACKED_LINE] for at in range(0, len(packed), PACKED_LINE))


_INVISIBLE_SPAN = Markup('<span class="invisible">{}</span>')


def mark_invisible(text: str) -> Markup:
    """Return the text, escaped for use between tags, not in an attribute; a control character, a surrogate or an
    invisible space in a span of its own."""
    runs = ((plain, "".join(characters)) for plain, characters in groupby(text, str.isprintable))
    return Markup("").join(
        _escape_between_tags(run) if plain else _INVISIBLE_SPAN.format(escape_invisible(run)) for plain, run in runs
    )


def _escape_between_tags(text: str) -> Markup:
    """Return the text as markup with its quotes as they are: documents are full of them."""
    return Markup(str(escape(text)).replace("&#34;", '"').replace("&#39;", "'"))
