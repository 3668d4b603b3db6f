"""Requirements on every page: it is self-contained, nothing in it runs but its own script, it can be
found one's way in without eyes. What is packed for its script is held to the same."""

import base64
import hashlib
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser

VOID = frozenset({"meta", "link", "br", "img", "input", "hr", "source", "wbr"})
INLINE = frozenset({"a", "abbr", "b", "code", "i", "mark", "span", "strong"})
HEADINGS = ("h1", "h2", "h3", "h4")
OWN_LINES = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


class Page(HTMLParser):
    """Elements in order, with the text of style and script."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.raw: dict[str, list[str]] = {"style": [], "script": []}
        self.open: list[str] = []
        self.unbalanced: list[str] = []
        self.packed: list[str] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1] != tag:
            self.unbalanced.append(f"</{tag}> closes <{self.open[-1] if self.open else ''}>")
        if tag not in INLINE:
            self.text.append(" ")
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "template":
            self.packed.append(zlib.decompress(base64.b64decode("".join(data.split()), validate=True)).decode())
        elif self.open and self.open[-1] in self.raw:
            self.raw[self.open[-1]].append(data)
        else:
            self.text.append(data)

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attrs for name, attrs in self.elements if name == tag]


def page_problems(text: str) -> list[str]:
    """Return the problems of a page as messages; [] for a valid one."""
    page = Page(text)
    return [
        *(problem for packed in page.packed for problem in _find_problems_of_fragment(packed)),
        *page.unbalanced,
        *_find_active_content(page),
        *_find_policy_problems(page),
        *_find_broken_links(page),
        *_find_accessibility_problems(page),
        *_find_unusual_characters(text),
    ]


def _find_active_content(page: Page) -> Iterator[str]:
    """Yield elements that would run or be fetched."""
    for name, count in (("script", 1), ("style", 1)):
        if len(page.all(name)) != count:
            yield f"{len(page.all(name))} <{name}>"
    yield from _find_unsafe_elements(page)


def _find_unsafe_elements(page: Page) -> Iterator[str]:
    for tag, attrs in page.elements:
        if tag in (
            "iframe",
            "object",
            "embed",
            "img",
            "base",
            "svg",
            "textarea",
            "form",
        ) and "filters" not in attrs.get("class", ""):
            yield f"<{tag}>"
        for name, value in attrs.items():
            if name.startswith("on") or name == "style":
                yield f"<{tag} {name}>"
            if name == "src" or (tag == "link" and value != "data:," and name == "href"):
                yield f"<{tag} {name}={value!r}>"
            if (
                tag == "a"
                and name == "href"
                and not re.match(r"https?://[\w.-]+|#[\w-]+$|[\w./%-]+\.(html(#\w+)?|py)$", value)
            ):
                yield f"<a href={value!r}>"


def _find_problems_of_fragment(text: str) -> Iterator[str]:
    """Yield the problems of markup that the script puts on the page."""
    fragment = Page(text)
    yield from (*fragment.unbalanced, *_find_unsafe_elements(fragment), *_find_unusual_characters(text))
    yield from (f"the id {attrs['id']!r} in what is packed" for _, attrs in fragment.elements if "id" in attrs)


def _find_policy_problems(page: Page) -> Iterator[str]:
    (policy,) = (attrs["content"] for attrs in page.all("meta") if attrs.get("http-equiv") == "Content-Security-Policy")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    if rules.get("default-src") != "'none'":
        yield "the policy allows by default"
    for name in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256("".join(page.raw[name]).encode()).digest()).decode()
        if rules.get(f"{name}-src") != f"'sha256-{digest}'":
            yield f"the policy does not name this {name}"


def _find_broken_links(page: Page) -> Iterator[str]:
    """Yield links without a target and invalid ids."""
    ids = Counter(attrs["id"] for _, attrs in page.elements if "id" in attrs)
    yield from (f"the id {name!r} {count} times" for name, count in ids.items() if count > 1)
    for _, attrs in page.elements:
        for name in ("href", "aria-labelledby", "for"):
            target = attrs.get(name, "").removeprefix("#")
            if target and (name != "href" or attrs[name].startswith("#")) and target not in ids:
                yield f"{name} leads to {target!r}, which is not there"


def _find_accessibility_problems(page: Page) -> Iterator[str]:
    """Yield accessibility problems: heading gaps, table heads without a scope, unnamed scroll areas and buttons."""
    level = 0
    for tag, attrs in page.elements:
        if tag in HEADINGS:
            if HEADINGS.index(tag) > level:
                yield f"<{tag}> after <h{level}>"
            level = HEADINGS.index(tag) + 1
        if tag == "th" and attrs.get("scope") not in ("col", "row", "rowgroup"):
            yield "<th> without scope"
        if attrs.get("tabindex") == "0" and not (attrs.get("role") and attrs.get("aria-label")):
            yield f"<{tag}> takes the focus and has no name"
    for name in ("header", "main", "footer", "h1", "title"):
        if len(page.all(name)) != 1:
            yield f"{len(page.all(name))} <{name}>"
    if not page.elements or page.elements[0] != ("html", {"lang": "en"}):
        yield "no language"


def _find_unusual_characters(text: str) -> Iterator[str]:
    found = sorted({f"U+{ord(char):04X}" for char in OWN_LINES.findall(text)})
    if found:
        yield f"characters that do not show themselves: {' '.join(found)}"
