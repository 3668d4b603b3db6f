"""Further cases of a finding, which the page's script unpacks, and the page of the largest report."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .conftest import Browser

pytestmark = pytest.mark.browser

Pages = Callable[[str], Path]

PHONE = (390, 844)
OPEN_ALL = "for (const each of document.querySelectorAll('details')) each.open = true"
UNPACKED = "return document.querySelectorAll('.packed').length"


@pytest.fixture
def without_decompression(browser: Browser) -> Iterator[Browser]:
    """A browser that is too old to unpack anything."""
    made = browser.cdp("Page.addScriptToEvaluateOnNewDocument", source="delete window.DecompressionStream")
    yield browser
    browser.cdp("Page.removeScriptToEvaluateOnNewDocument", identifier=made["identifier"])


def test_further_cases_are_unpacked_once_with_their_documents(browser: Browser, pages: Pages) -> None:
    browser.open(pages("largest"))
    before = browser.run(UNPACKED)
    browser.run(
        "window.more = document.querySelector('.more-cases:not(:has(.further-list))'); more.scrollIntoView(); more.open = true"
    )
    browser.wait_for(f"document.querySelectorAll('.packed').length === {before - 1}")
    browser.wait_for("more.querySelectorAll('.panel').length > 0")
    browser.run("more.open = false")
    browser.run("more.open = true")
    browser.settle()
    counts = """const count = parseInt(more.querySelector('summary').innerText);
    return [more.querySelectorAll('.panel').length === count, more.querySelectorAll('.documents').length === count,
            more.querySelectorAll('.further').length, more.querySelectorAll('.copy[hidden]').length]"""
    assert browser.run(counts) == [True, True, 0, 0]
    assert browser.console_messages() == []
    assert browser.requested_urls() == []


def test_a_browser_that_cannot_unpack_says_so_and_lists_the_cases(without_decompression: Browser, pages: Pages) -> None:
    browser = without_decompression
    browser.open(pages("sample"))
    browser.run("document.querySelector('.more-cases').open = true")
    browser.settle()
    (note,) = browser.visible_texts(".packed-note")
    assert "bridgecheck run --adapter python:sample.gateway:adapter --scenario ADDRESS" in note
    assert len(browser.visible_texts(".further li")) == 2
    assert browser.visible_texts(".finding .copy")
    assert browser.console_messages() == []


def test_a_large_page_does_not_scroll_sideways_on_a_phone(browser: Browser, pages: Pages) -> None:
    browser.set_window(*PHONE, mobile=True)
    browser.open(pages("largest"))
    width = "return [document.documentElement.scrollWidth, innerWidth]"
    assert browser.run(width) == [PHONE[0], PHONE[0]]
    browser.run(OPEN_ALL)
    browser.wait_for("document.querySelectorAll('.packed').length === 0")
    browser.wait_for("document.querySelectorAll('.more-cases:not(:has(.panel))').length === 0")
    browser.run(OPEN_ALL)
    assert browser.run(width) == [PHONE[0], PHONE[0]]


@pytest.mark.slow
def test_axe_finds_nothing_on_the_largest_page(browser: Browser, pages: Pages) -> None:
    browser.open(pages("largest"))
    browser.run("for (const each of document.querySelectorAll('details:not(.more-cases)')) each.open = true")
    browser.run("document.querySelector('.more-cases').open = true")
    browser.wait_for("document.querySelector('.more-cases .panel') !== null")
    assert browser.axe() == []
