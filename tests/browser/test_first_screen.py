"""What a reader sees before scrolling, and the way from there by keyboard alone."""

from collections.abc import Callable
from pathlib import Path

import pytest
from selenium.webdriver import Keys

from .conftest import Browser

pytestmark = pytest.mark.browser

Pages = Callable[[str], Path]

DESKTOP, PHONE = (1280, 800), (390, 844)
OPEN_ALL = "for (const each of document.querySelectorAll('details')) each.open = true"
BOTTOMS = """
return [...document.querySelectorAll(arguments[0])].map(e => e.getBoundingClientRect().bottom)"""


def press_tab_until(browser: Browser, condition: str, most: int = 30) -> None:
    """Press Tab until the focused element ``e`` fulfils a condition in JavaScript."""
    for _ in range(most):
        browser.press(Keys.TAB)
        if browser.run(f"const e = document.activeElement; return {condition}"):
            return
    pytest.fail(f"no element with {condition} within {most} presses of Tab")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("name", "listed"), [("largest", 3), ("sample", 3), ("partial", 1), ("unjudged", 2), ("clean", 0)]
)
@pytest.mark.parametrize("window", [DESKTOP, PHONE])
def test_the_sentence_and_the_worst_findings_are_visible_without_scrolling(
    browser: Browser, pages: Pages, name: str, listed: int, window: tuple[int, int], scheme: str
) -> None:
    browser.set_preferences(scheme)
    browser.set_window(*window, mobile=window == PHONE)
    browser.open(pages(name))
    sentences = browser.visible_texts(".verdict")
    bottoms = browser.run(BOTTOMS, ".verdict, .worst li")
    assert browser.run("return scrollY") == 0
    assert len(sentences) == 1 and sentences[0].endswith(".")
    assert len(bottoms) == 1 + listed
    assert max(bottoms) <= window[1]


def test_each_of_the_worst_findings_leads_to_its_entry(browser: Browser, pages: Pages) -> None:
    browser.open(pages("largest"))
    for number in range(3):
        link = browser.driver.find_elements("css selector", ".worst li a")[number]
        effect = link.text
        link.click()
        browser.settle()
        assert browser.run("return document.activeElement.querySelector('h3').innerText") == effect


def test_by_keyboard_alone_from_the_first_screen_to_both_sides_and_back(browser: Browser, pages: Pages) -> None:
    browser.open(pages("sample"))
    press_tab_until(browser, "e.matches('.worst li a')", 2)  # behind the link that skips the header
    browser.press(Keys.ENTER)
    browser.settle()
    assert browser.run("return document.activeElement.matches('.finding')")
    press_tab_until(browser, "e.innerText.startsWith('Request and response')")
    browser.press(Keys.ENTER)
    assert browser.run("return document.activeElement.parentElement.open")
    browser.press(Keys.ESCAPE)
    assert browser.run("return document.activeElement.matches('.panel:not([open]) > summary')")
    press_tab_until(browser, "e.matches('.more-cases > summary')")
    browser.press(Keys.SPACE)
    browser.wait_for("document.querySelectorAll('.more-cases .panel').length === 2")
    press_tab_until(browser, "e.matches('.more-cases .panel > summary')", 1)
    browser.press(Keys.ENTER)
    press_tab_until(browser, "e.matches('.more-cases .panel[open] .copy')", 3)
    browser.press(Keys.ESCAPE)
    assert browser.run("return document.activeElement.matches('.more-cases .panel:not([open]) > summary')")
    browser.press(Keys.ESCAPE)
    assert browser.run("return document.activeElement.matches('.more-cases:not([open]) > summary')")
    browser.press(Keys.ESCAPE)
    assert browser.run("return document.activeElement.matches('.more-cases > summary')")


def test_escape_clears_the_text_of_the_filter_and_closes_nothing(browser: Browser, pages: Pages) -> None:
    browser.open(pages("sample"))
    browser.run("document.querySelector('.panel').open = true; document.forms[0].elements.text.focus()")
    browser.press("t", "o", Keys.ESCAPE)
    assert browser.run("return [document.forms[0].elements.text.value, document.querySelector('.panel').open]") == [
        "",
        True,
    ]


@pytest.mark.parametrize("name", ["sample", "partial", "unjudged", "clean"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_a_phone_with_everything_open(
    browser: Browser, pages: Pages, name: str, scheme: str
) -> None:
    browser.set_preferences(scheme)
    browser.set_window(*PHONE, mobile=True)
    browser.open(pages(name))
    browser.run(OPEN_ALL)
    browser.wait_for("document.querySelectorAll('.more-cases:not(:has(.panel))').length === 0")
    browser.run(OPEN_ALL)
    assert browser.axe() == []
