"""``make docs``: draws docs/layers.svg from the import contracts: who may import whom, and what does no IO.

The layers are those of .importlinter, top to bottom; a package may import what stands below it and nothing above. The
line under each name is the first sentence of that package's docstring.
"""

import ast
import configparser
import textwrap
from html import escape
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
PICTURE: Final = ROOT / "docs" / "layers.svg"
SOURCES: Final = (ROOT / "harness", ROOT / "reference_impl")

WIDTH: Final = 1000
MARGIN: Final = 16
GAP: Final = 8
LINE_HEIGHT: Final = 15
CHARACTER_WIDTH: Final = 6.3
"""Of the small text, in pixels: enough for the widest fonts a browser may take."""

_STYLE: Final = """
  .layer { fill: #eef1f5; stroke: #c3cbd6; }
  .pure { fill: #e4f2e7; stroke: #9cc7a6; }
  .judged { fill: #fbf1dd; stroke: #dcc08a; }
  text { font: 12px system-ui, sans-serif; fill: #1d2733; }
  .name { font: 600 14px ui-monospace, monospace; }
  .note { fill: #51606f; }
"""


def contracts() -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    parser.read(ROOT / ".importlinter", encoding="utf-8")
    return parser


def module_lists(parser: configparser.ConfigParser, contract: str, key: str) -> list[list[str]]:
    """One list a line of the contract's value: the modules that stand on it."""
    lines = parser[f"importlinter:contract:{contract}"][key].split("\n")
    return [[name.strip() for name in line.split("|")] for line in lines if line.strip()]


def first_sentence(module: str) -> str:
    """Of the docstring of a package or module, without its full stop."""
    relative = Path(*module.split("."))
    for root in SOURCES:
        for path in (root / relative / "__init__.py", (root / relative).with_suffix(".py")):
            if path.is_file():
                text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
                return " ".join(text.partition("\n\n")[0].split()).partition(". ")[0].rstrip(".").replace("``", "")
    raise FileNotFoundError(module)


def draw() -> str:
    parser = contracts()
    pure = {name for names in module_lists(parser, "pure-core", "source_modules") for name in names}
    shapes: list[str] = []
    y = MARGIN
    for layer in module_lists(parser, "layers", "layers"):
        y += _draw_row(shapes, y, layer, pure) + GAP
    y += LINE_HEIGHT
    shapes.append(
        _text(MARGIN, y, "The judged, found by name like anyone's adapter; it may import bridgecheck.wire only:")
    )
    y += GAP
    y += _draw_row(shapes, y, ["bridgecheck_reference"], pure, "judged") + 2 * GAP + LINE_HEIGHT
    shapes.append(
        _text(MARGIN, y, "Each row may import the rows below it. Green: modules without IO, clock and randomness.")
    )
    height = y + MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="Layers of bridgecheck">\n<style>{_STYLE}</style>\n'
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>\n' + "\n".join(shapes) + "\n</svg>\n"
    )


def _draw_row(shapes: list[str], y: int, modules: list[str], pure: set[str], kind: str = "") -> int:
    """Append the boxes of one layer; return their height in pixels."""
    width = (WIDTH - 2 * MARGIN - GAP * (len(modules) - 1)) / len(modules)
    columns = int((width - 20) / CHARACTER_WIDTH)
    notes = [textwrap.wrap(first_sentence(module), columns) for module in modules]
    height = 28 + LINE_HEIGHT * max(map(len, notes))
    for position, (module, lines) in enumerate(zip(modules, notes, strict=True)):
        x = MARGIN + position * (width + GAP)
        inside = any(name == module or name.startswith(f"{module}.") for name in pure)
        style = kind or ("pure" if inside else "layer")
        shapes.append(f'<rect class="{style}" x="{x:.0f}" y="{y}" width="{width:.0f}" height="{height}" rx="6"/>')
        shapes.append(_text(x + 10, y + 19, module.removeprefix("bridgecheck."), "name"))
        shapes += [_text(x + 10, y + 36 + LINE_HEIGHT * row, line, "note") for row, line in enumerate(lines)]
    return height


def _text(x: float, y: float, text: str, style: str = "") -> str:
    named = f' class="{style}"' if style else ""
    return f'<text{named} x="{x:.0f}" y="{y:.0f}">{escape(text)}</text>'


def main() -> None:
    PICTURE.write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
