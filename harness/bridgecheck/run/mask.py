"""Takes credentials and paths of this machine out of a case's result, and shortens long texts.

What recorded traffic or an adapter's exception holds of them does not get into a report: a report says the same
wherever it was made. Of a long traceback the end is kept, which shows where it was raised.
"""

import re
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from bridgecheck.model.evidence import cut_middle_of_traceback
from bridgecheck.model.verdict import CaseResult, Difference, Verdict
from bridgecheck.model.volatile import strip_package_folders
from bridgecheck.secrets import mask_strings, mask_text

_MIN_PARTS: Final = 2
"""Parts of a folder that differs from any other text: ``/`` and ``/x`` stand in it by chance, but for a home."""


def mask_case(case: CaseResult) -> CaseResult:
    """Return the case with its messages, differences, traceback and documents masked. The key is not, by which the
    case's deviations are found."""
    stripped = replace(
        case,
        verdicts=tuple(_strip_verdict(verdict) for verdict in case.verdicts),
        crash=cut_middle_of_traceback(_mask_text(case.crash)),
        views={name: strip_paths(text) for name, text in case.views.items()},
    )
    return replace(mask_strings(stripped), key=case.key)


def _strip_verdict(verdict: Verdict) -> Verdict:
    if not verdict.message and not verdict.differences:
        return verdict
    return replace(
        verdict,
        message=cut_middle_of_traceback(_mask_text(verdict.message)),
        differences=tuple(
            Difference(*map(strip_paths, (found.path, found.expected, found.actual, found.note)))
            for found in verdict.differences
        ),
    )


def _mask_text(text: str) -> str:
    return mask_text(strip_paths(text)) if text else text


def strip_paths(text: str) -> str:
    """Remove the paths of this machine from a text.

    What is below the current folder is named from there, the home folder becomes ``~``, a recipe's temporary folder
    ``{tmp}``, and of an installed package the path begins behind ``site-packages/`` or ``node_modules/``.
    """
    text = strip_package_folders(text)
    for folder, name in _folder_patterns(Path.cwd(), Path.home()):
        text = folder.sub(name, text)
    return text


@cache
def _folder_patterns(current: Path, home: Path) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the folders to replace, the innermost first, each only where no longer name begins."""
    temporary = re.compile(re.escape(f"{tempfile.gettempdir()}/bridgecheck-") + r"\w+")
    folders = [(re.escape(f"{current}/"), "")] if len(current.parts) > _MIN_PARTS else []
    folders += [(re.escape(str(home)) + r"(?=/)", "~")] if len(home.parts) >= _MIN_PARTS else []
    return (
        (temporary, "{tmp}"),
        *((re.compile(rf"(?<![\w.~/-])(?:file://)?{folder}"), name) for folder, name in folders),
    )
