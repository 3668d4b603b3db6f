"""The pages of a report, opened and operated in a browser."""

import base64
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from selenium.webdriver import Keys

from .conftest import Browser

pytestmark = pytest.mark.browser

Pages = Callable[[str], Path]

OPEN_ALL = "for (const each of document.querySelectorAll('details')) each.open = true"
COUNT = "p.shown-count"
CHOOSE = """
const field = document.forms[0].elements[arguments[0]];
field.value = [...field.options].find(each => each.text === arguments[1]).value;
field.dispatchEvent(new Event('input', {bubbles: true}));
"""


def describe_focus(browser: Browser) -> str:
    """Return a short description of the focused element."""
    return str(
        browser.run("const e = document.activeElement; return `${e.tagName} ${e.getAttribute('name') || e.innerText}`")
    )


def click(browser: Browser, selector: str) -> None:
    browser.driver.find_element("css selector", selector).click()


@pytest.mark.parametrize("name", ["sample", "clean", "hostile", "index"])
def test_a_page_requests_nothing_and_violates_no_policy(browser: Browser, pages: Pages, name: str) -> None:
    browser.requested_urls()
    browser.open(pages(name))
    browser.run(OPEN_ALL)
    assert browser.requested_urls() == []
    assert browser.console_messages() == []


@pytest.fixture
def outside() -> Iterator[tuple[str, list[str]]]:
    """A server on loopback, and the paths that were requested from it."""
    requested_paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requested_paths.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *arguments: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", requested_paths
    server.shutdown()
    thread.join()
    server.server_close()


def test_injected_markup_cannot_reach_the_network(
    browser: Browser, pages: Pages, outside: tuple[str, list[str]], tmp_path: Path
) -> None:
    url, requested_paths = outside
    planted = f'<img src="{url}/image"><script>document.title = "owned"</script><p style="color: red" onclick="1">x</p>'
    text = pages("sample").read_text(encoding="utf-8")
    guarded, bare = tmp_path / "guarded.html", tmp_path / "bare.html"
    guarded.write_text(text.replace("</main>", f"{planted}</main>"), encoding="utf-8")
    bare.write_text(
        text.replace("</main>", f"{planted}</main>").replace("Content-Security-Policy", "x"), encoding="utf-8"
    )
    browser.open(guarded)
    assert requested_paths == [] and browser.driver.title != "owned"
    assert sum("Content Security Policy" in line for line in browser.console_messages()) >= 3
    browser.open(bare)
    assert requested_paths == ["/image"] and browser.driver.title == "owned"


def test_hostile_text_is_shown_as_text(browser: Browser, pages: Pages) -> None:
    browser.open(pages("hostile"))
    browser.run(OPEN_ALL)
    assert browser.driver.title.startswith("<script>document.title")
    assert browser.run("return [document.scripts.length, document.images.length]") == [1, 0]
    assert "\\u202eabc" in browser.visible_texts(".finding .headline")[0]


def test_filters_show_the_matching_findings(browser: Browser, pages: Pages) -> None:
    browser.open(pages("sample"))
    every = len(browser.visible_texts(".finding"))
    assert every == 6
    assert browser.visible_texts(COUNT) == ["6 of 6 findings shown"]
    browser.run(CHOOSE, "topic", "tools")
    assert browser.visible_texts(COUNT) == ["1 of 6 findings shown"]
    assert "response.tool_calls" in browser.visible_texts(".finding")[0]
    browser.run(CHOOSE, "topic", "all")
    browser.run(CHOOSE, "column", "Anthropic→Gemini")
    assert browser.visible_texts(COUNT) == ["1 of 6 findings shown"]
    click(browser, ".filters [type=reset]")
    browser.settle()
    assert browser.visible_texts(COUNT) == ["6 of 6 findings shown"]
    for box in browser.driver.find_elements("css selector", "[name=label]"):
        if box.get_attribute("value") == "FAIL":
            box.click()
    assert browser.visible_texts(COUNT) == ["3 of 6 findings shown"]
    browser.driver.find_element("css selector", "[type=search]").send_keys("no such words")
    assert browser.visible_texts(COUNT) == ["0 of 6 findings shown"]
    assert browser.visible_texts(".nothing") == ["No finding matches these filters."]
    assert browser.run(f"return document.querySelector('{COUNT}').getAttribute('aria-live')") == "polite"


def test_a_table_cell_links_to_its_findings(browser: Browser, pages: Pages) -> None:
    browser.open(pages("sample"))
    cell = browser.driver.find_element("xpath", "//section[@id='table']//tr[th='tools']//a")
    cell.click()
    assert browser.visible_texts(COUNT) == ["1 of 6 findings shown"]
    chosen = "const form = document.forms[0]; return [...form.querySelectorAll('select')].map(s => s.selectedOptions[0].text)"
    assert browser.run(chosen) == ["tools", "OpenAI Chat→Gemini"]
    assert browser.run("return document.activeElement.className").startswith("finding")


def test_a_finding_opens_and_its_command_is_copied(browser: Browser, pages: Pages) -> None:
    browser.open(pages("sample"))
    browser.cdp("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    first = "article:has([data-copy*='usage/thoughts-in-completion'])"
    assert browser.visible_texts(f"{first} .documents") == []
    click(browser, f"{first} .panel > summary")
    assert "completion_tokens" in browser.visible_texts(f"{first} .documents")[0]
    assert [" ".join(line.split()) for line in browser.visible_texts(f"{first} pre mark")] == [
        'differs: "thoughtsTokenCount": 60', 'differs: "completion_tokens": 0',
    ]  # fmt: skip
    click(browser, f"{first} .copy")
    script = "const done = arguments[0]; navigator.clipboard.readText().then(done, e => done(String(e)))"
    copied = browser.driver.execute_async_script(script)
    assert copied.startswith("bridgecheck run --adapter python:sample.gateway:adapter --scenario usage/thoughts-in-")
    assert browser.run("return document.querySelector('#announcement').textContent") == "Copied"


def test_without_a_clipboard_the_command_is_selected(browser: Browser, pages: Pages) -> None:
    browser.open(pages("sample"))
    browser.run("navigator.clipboard.writeText = () => Promise.reject(); document.execCommand = () => false")
    click(browser, ".finding .copy")
    assert browser.run("return String(getSelection())").startswith("bridgecheck run")
    assert browser.run("return document.querySelector('#announcement').textContent") == "Selected; press Ctrl and C"


def test_every_control_works_with_the_keyboard(browser: Browser, pages: Pages) -> None:
    browser.open(pages("sample"))
    browser.press(Keys.TAB)
    assert describe_focus(browser) == "A Skip to the report"
    browser.press(Keys.ENTER)
    assert browser.run("return document.activeElement.id") == "main"
    focused_elements: list[str] = []
    for _ in range(200):
        browser.press(Keys.TAB)
        focused_elements.append(describe_focus(browser))
        ring = "const s = getComputedStyle(document.activeElement); return s.outlineStyle !== 'none' && s.outlineWidth !== '0px'"
        assert browser.run(ring), focused_elements[-1]
        if focused_elements[-1] == "SUMMARY The rule and its sources":
            break
    assert any(what.startswith("DIV") for what in focused_elements)  # the table scrolls with the arrow keys
    assert any(what.startswith("BUTTON Copy") for what in focused_elements)
    for name in ("INPUT label", "SELECT topic", "SELECT column", "INPUT text", "BUTTON Show all", "BUTTON Open all"):
        assert name in focused_elements
    browser.press(Keys.ENTER)
    assert browser.run("return document.activeElement.parentElement.open") is True
    assert browser.visible_texts(".why .ruled")


@pytest.mark.parametrize("name", ["sample", "clean", "hostile", "index"])
@pytest.mark.parametrize("width", [320, 360])
def test_a_phone_does_not_scroll_sideways(browser: Browser, pages: Pages, name: str, width: int) -> None:
    browser.set_window(width, 780, mobile=True)
    browser.open(pages(name))
    for _ in range(2):
        assert browser.run("return [document.documentElement.scrollWidth, innerWidth]") == [width, width]
        browser.run(OPEN_ALL)


def test_on_a_phone_both_sides_are_stacked(browser: Browser, pages: Pages) -> None:
    script = """
    const place = (name, n) => document.querySelectorAll(name)[n].getBoundingClientRect();
    const [sign, one, other] = ['.sides .sign', '.sides .expected', '.sides .actual'].map(name => place(name, 0));
    const figures = [0, 1].map(n => place('.documents figure', n));
    return [sign.right <= one.left, one.bottom <= other.top, figures[0].bottom <= figures[1].top]"""
    browser.open(pages("sample"))
    browser.run(OPEN_ALL)
    assert browser.run(script) == [True, False, False]
    browser.set_window(360, 780, mobile=True)
    assert browser.run(script) == [True, True, True]


def test_in_print_everything_is_open_except_further_cases(browser: Browser, pages: Pages) -> None:
    browser.open(pages("sample"))
    browser.run(
        "window.opened = 0; addEventListener('beforeprint', () => opened = document.querySelectorAll('[open]').length)"
    )
    pdf = base64.b64decode(browser.cdp("Page.printToPDF", printBackground=True)["data"])
    assert pdf.startswith(b"%PDF") and len(pdf) > 50_000
    for_paper = "return document.querySelectorAll('details:not(.more-cases .panel, .screen)').length"
    assert browser.run("return opened") == browser.run(for_paper) > 10
    assert browser.run("return document.querySelectorAll('[open]').length") == 0
    browser.set_preferences(media="print")
    assert browser.visible_texts(".filters") == browser.visible_texts("nav") == browser.visible_texts(".copy") == []


def test_without_its_script_a_page_is_complete_on_screen_and_in_print(browser: Browser, pages: Pages) -> None:
    browser.cdp("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(pages("sample"))
    assert browser.visible_texts(".filters") == browser.visible_texts(".copy") == []
    assert len(browser.visible_texts(".finding")) == 6
    click(browser, ".why > summary")
    assert browser.visible_texts(".why .ruled")
    browser.set_preferences(media="print")
    assert len(browser.visible_texts(".documents")) == 1
    assert browser.visible_texts(".more-cases .further li") and not browser.visible_texts(".packed-note")
    assert len(browser.visible_texts("#scenarios table")) > 3


def test_a_link_shows_a_finding_that_a_filter_hides(browser: Browser, pages: Pages) -> None:
    browser.open(pages("sample"))
    target = browser.run("return document.querySelectorAll('.finding')[3].id")
    browser.driver.find_element("css selector", "[type=search]").send_keys("no such words")
    assert browser.visible_texts(".finding") == []
    browser.run("location.hash = arguments[0]", target)
    browser.settle()
    assert len(browser.visible_texts(".finding")) == 6
    assert browser.run("return document.activeElement.id") == target


def test_an_old_report_is_marked_as_expired(browser: Browser, pages: Pages) -> None:
    browser.open(pages("sample"))
    if browser.run("return new Date().toISOString().slice(0, 10)") <= "2027-02-20":
        assert browser.visible_texts(".expired") == []
    browser.open(pages("past"))
    assert browser.visible_texts(".expired") == [
        "EXPIRED This report was valid until 2020-03-31. The adapter may have changed since."
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["sample", "index"])
def test_axe_finds_nothing(browser: Browser, pages: Pages, name: str, scheme: str) -> None:
    browser.set_preferences(scheme)
    browser.open(pages(name))
    browser.run(OPEN_ALL)
    assert browser.axe() == []


def test_axe_finds_a_planted_violation(browser: Browser, pages: Pages) -> None:
    browser.open(pages("sample"))
    browser.run("document.querySelector('main').insertAdjacentHTML('beforeend', '<input><h6>x</h6>')")
    assert {line.partition(":")[0] for line in browser.axe()} >= {"label", "heading-order"}


@pytest.mark.slow
def test_a_large_report_opens_and_filters_quickly(browser: Browser, pages: Pages) -> None:
    browser.open(pages("large"))
    opened = browser.run("const [t] = performance.getEntriesByType('navigation'); return t.domContentLoadedEventEnd")
    assert opened < 8_000
    script = "const t = performance.now(); document.forms[0].elements.text.dispatchEvent(new Event('input', {bubbles: true})); return performance.now() - t"
    assert browser.run(script) < 2_000
