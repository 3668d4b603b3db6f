"""Pages opened in headless Chromium as a reader opens them: from a file, without a network.

The browser and its driver are Debian packages (`make test` installs them where it may); without them these tests are
skipped, and fail where CI is set.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from selenium.webdriver import ActionChains, Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

HERE: Final = Path(__file__).parent
AXE: Final = HERE / "node_modules" / "axe-core" / "axe.min.js"
PACKAGES: Final = "apt-get install chromium chromium-driver"
FLAGS: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
)  # fmt: skip
OUTSIDE: Final = frozenset({"http", "https", "ws", "wss", "ftp"})


def skip_or_fail(what: str, remedy: str) -> None:
    """Skip the test, or fail it where CI is set."""
    message = f"{what} is missing: {remedy}"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


@dataclass(frozen=True, slots=True)
class Browser:
    """One tab. ``run``: a function body of JavaScript; ``cdp``: a command of the DevTools protocol."""

    driver: Chrome

    def run(self, script: str, *arguments: object) -> Any:
        return self.driver.execute_script(script, *arguments)

    def cdp(self, command: str, **parameters: object) -> Any:
        return self.driver.execute_cdp_cmd(command, parameters)

    def set_window(self, width: int, height: int = 900, mobile: bool = False) -> None:
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def set_preferences(self, scheme: str = "light", media: str = "") -> None:
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        self.cdp("Emulation.setEmulatedMedia", media=media, features=features)

    def open(self, page: Path, fragment: str = "") -> None:
        """Load the page in a fresh state."""
        self.driver.get("about:blank")
        self.console_messages()
        self.driver.get(f"{page.as_uri()}{fragment}")

    def settle(self) -> None:
        """Wait until deferred work of the page has run."""
        self.driver.execute_async_script("setTimeout(arguments[0], 50)")

    def press(self, *keys: str) -> None:
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def wait_for(self, condition: str) -> None:
        """Wait until an expression is true; fail after five seconds."""
        for _ in range(100):
            if self.run(f"return {condition}"):
                return
            self.settle()
        pytest.fail(f"{condition} did not come true")

    def console_messages(self) -> list[str]:
        """Return the console messages since the last call, such as violations of the page's policy."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requested_urls(self) -> list[str]:
        """Return the URLs outside of local files that were requested since the last call."""
        sent = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        urls = [
            message["params"]["request"]["url"] for message in sent if message["method"] == "Network.requestWillBeSent"
        ]
        return [url for url in urls if urlsplit(url).scheme in OUTSIDE]

    def visible_texts(self, selector: str) -> list[str]:
        """Return the visible text of each visible element."""
        script = (
            "return [...document.querySelectorAll(arguments[0])].filter(e => e.checkVisibility()).map(e => e.innerText)"
        )
        return list(self.run(script, selector))

    def axe(self) -> list[str]:
        """Return the violations that axe-core finds, one line each."""
        if not AXE.is_file():
            skip_or_fail("axe-core", "make browser")
        self.run(AXE.read_text(encoding="utf-8"))
        script = (
            "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']}).then(r => done(r.violations))"
        )
        found = self.driver.execute_async_script(script)
        return [
            f"{message['id']}: {node['html'][:160]} {node['failureSummary']}"
            for message in found
            for node in message["nodes"]
        ]


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        skip_or_fail("Chromium" if binary is None else "chromedriver", PACKAGES)
        return
    options = ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    tab = Chrome(options=options, service=Service(driver))
    try:
        tab.set_script_timeout(120)
        yield Browser(tab)
    finally:
        tab.quit()


@pytest.fixture
def browser(chromium: Browser) -> Browser:
    """A wide window, light, with scripts."""
    chromium.set_window(1280)
    chromium.set_preferences()
    chromium.cdp("Emulation.setScriptExecutionDisabled", value=False)
    return chromium


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that writes a sample page once and returns its path."""
    from .sample_pages import PAGES

    folder = tmp_path_factory.mktemp("pages")

    def write_page(name: str) -> Path:
        path = folder / f"{name}.html"
        if not path.exists():
            path.write_text(PAGES[name](), encoding="utf-8")
        return path

    return write_page
