"""Run gemini-cli without a terminal, with a home folder of its own. It is installed by `make node_modules`."""

import json
import os
import subprocess
from pathlib import Path

from provider import KEY, MODEL

PACKAGE = Path(__file__).parents[2] / "realclients" / "node" / "node_modules" / "@google" / "gemini-cli"
BUNDLE = PACKAGE / "bundle" / "gemini.js"
SETTINGS = {
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False, "maxAttempts": 1},
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
    "ide": {"enabled": False},
}
RUN_S = 90


def run_gemini_cli(home: Path, origin: str, prompt: str, *options: str) -> "subprocess.CompletedProcess[str]":
    """Run the CLI to its end. ``origin``: of the provider that it calls."""
    (home / ".gemini").mkdir(parents=True, exist_ok=True)
    (home / ".gemini" / "settings.json").write_text(json.dumps(SETTINGS))
    (home / "project").mkdir(exist_ok=True)
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(home), "GEMINI_API_KEY": KEY,
        "GOOGLE_GEMINI_BASE_URL": origin, "GEMINI_TELEMETRY_ENABLED": "false", "NO_BROWSER": "true", "NO_COLOR": "1",
        "CI": "1", "TERM": "dumb", "GEMINI_CLI_NO_RELAUNCH": "true",
    }  # fmt: skip
    command = ["node", str(BUNDLE), "-p", prompt, "-m", MODEL, "--skip-trust", "-o", "json", *options]
    return subprocess.run(
        command, cwd=home / "project", env=environment, capture_output=True, text=True, timeout=RUN_S, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
