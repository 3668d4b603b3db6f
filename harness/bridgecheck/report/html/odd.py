"""Text with characters that do not show themselves, as markup that tells the escape from the same letters written."""

from itertools import groupby

from markupsafe import Markup, escape

from bridgecheck.report.sidebyside import visible

_ODD = Markup('<span class="odd">{}</span>')


def shown(text: str) -> Markup:
    """The text, escaped; a control character, a surrogate or an invisible space in a span of its own."""
    runs = groupby(text, str.isprintable)
    return Markup("").join(escape(_joined(run)) if plain else _ODD.format(visible(_joined(run))) for plain, run in runs)


def _joined(run: object) -> str:
    return "".join(run)  # type: ignore[arg-type]  # groupby's own type of a run is not public
