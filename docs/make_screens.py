"""Draws the pictures of an HTML report: docs/report.png on a screen, docs/report-phone.png on a phone.

    python docs/make_screens.py        (needs the packages chromium and chromium-driver)

They show a real run of an adapter that is faulty on purpose (docs/faulty_adapter.py), over four topics.
"""

import base64
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

DOCS: Final = Path(__file__).resolve().parent
TOPICS: Final = ("thinking", "settings", "usage", "tools")
FLAGS: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
FINDING: Final = "usage.completion_tokens"
"""What the headline of the finding holds that is shown opened."""
OPENED: Final = """
for (const card of document.querySelectorAll('.finding')) {
  const wanted = card.querySelector('.headline').textContent.includes(arguments[0]);
  card.querySelector('.panel').open = wanted;
  if (wanted) card.parentElement.insertBefore(card, document.querySelector('.finding'));
}
"""
END: Final = "return document.querySelector('.panel[open] .documents').getBoundingClientRect().bottom + scrollY"


def run_faulty_adapter(folder: Path) -> Path:
    """Run the faulty adapter and return the page that the run leaves."""
    chosen = [part for topic in TOPICS for part in ("--scenario", f"{topic}/*")]
    command = [sys.executable, "-m", "bridgecheck", "run", "--adapter", "python:faulty_adapter:adapter", *chosen]
    paths = os.pathsep.join(filter(None, (str(DOCS), os.environ.get("PYTHONPATH"))))
    process = subprocess.run(
        [*command, "--report", str(folder)], env={**os.environ, "PYTHONPATH": paths}, capture_output=True, check=False
    )
    if process.returncode != 1:
        output = f"{process.stdout.decode()}{process.stderr.decode()}"
        raise SystemExit(f"the run ended with {process.returncode}, not 1:\n{output}")
    return folder / "report.html"


def start_browser(profile: Path) -> Chrome:
    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or "chromium"
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    return Chrome(options=options, service=Service(shutil.which("chromedriver")))


def draw_page(tab: Chrome, page: Path, width: int, height: float | None, picture: Path, opened: bool) -> None:
    """Write the picture of a page. ``height`` None: as far as the documents of the opened finding go. ``opened``: the
    finding that ``FINDING`` names is shown first, with its documents."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    tab.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    tab.get(page.as_uri())
    if opened:
        tab.execute_script(OPENED, FINDING)
    bottom = height or tab.execute_script(END) + 12
    clip = {"x": 0, "y": 0, "width": width, "height": bottom, "scale": 1}
    options = {"format": "png", "clip": clip, "captureBeyondViewport": True}
    picture.write_bytes(base64.b64decode(tab.execute_cdp_cmd("Page.captureScreenshot", options)["data"]))
    print(f"{picture}: {picture.stat().st_size // 1024} KiB")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        page = run_faulty_adapter(Path(folder) / "report")
        tab = start_browser(Path(folder) / "profile")
        try:
            draw_page(tab, page, 960, None, DOCS / "report.png", opened=True)
            draw_page(tab, page, 360, 1500, DOCS / "report-phone.png", opened=False)
        finally:
            tab.quit()


if __name__ == "__main__":
    main()
