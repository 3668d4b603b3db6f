"""Plant every judge that is too strict, play the liberty that it wrongs, and store what it holds against it.

    python tests/liberties/strict_matrix.py [--anew | NAME ...]

NAME: of judges, with wildcards. Without any, those whose entry in the table changed, or that were not accused; --anew: all. Exit 1 if one is not
accused, or if the judge as it is accuses a liberty. docs/liberties.md takes the results when it is written.
"""

import json
import os
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faulty_adapters"))

from forks import Forks
from planting import PACKAGES, ROOT, plant
from strict_judge import StrictJudge
from strict_judges import STRICT_JUDGES
from strict_results import StrictResult, load_strict_results, save_strict_results

POLITE: Final = 5


def main(*arguments: str) -> int:
    os.nice(POLITE)
    judges = {judge.name: judge for judge in STRICT_JUDGES}
    results = {name: result for name, result in load_strict_results().items() if name in judges}
    globs = [argument for argument in arguments if argument != "--anew"]
    is_anew = "--anew" in arguments
    with Forks() as forks:
        for judge in STRICT_JUDGES:
            known = results.get(judge.name)
            is_known = known is not None and known.key == judge.key and _verdict(judge, known) == "accused"
            if any(fnmatchcase(judge.name, glob) for glob in globs) if globs else not is_known or is_anew:
                result = results[judge.name] = play_before(judge, forks)
                save_strict_results(results)
                print(f"{_verdict(judge, result)} {judge.name}: {result}", flush=True)
    save_strict_results(results)
    wrong = [judge.name for judge in STRICT_JUDGES if _verdict(judge, results.get(judge.name)) != "accused"]
    print(f"{len(results)} of {len(judges)} judges that are too strict; not shown to be: {wrong or 'none'}")
    return 1 if wrong else 0


def play_before(judge: StrictJudge, forks: Forks) -> StrictResult:
    """Play the judge's liberty, and the reference in the same cases, before it; and the liberty before the judge as it
    is."""
    with TemporaryDirectory() as folder:
        strictly = _play(judge, plant(judge.mutant, Path(folder)), forks)
    today = _play(judge, PACKAGES["bridgecheck"].parent, forks)
    return StrictResult(judge.key, strictly["accused"], strictly["reference"], today["accused"])


def _play(judge: StrictJudge, packages: Path, forks: Forks) -> dict[str, dict[str, int]]:
    path = os.pathsep.join(map(str, (packages, Path(__file__).parent)))
    alone = {"PYTHONPATH": path, "BRIDGECHECK_CORPUS": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    jobs = json.dumps([[judge.liberty, judge.cases]])
    ended = forks.run("play_one", jobs, folder=packages, env={**os.environ, **alone})
    assert ended.returncode == 0, f"{judge.name} before {packages}: {ended.stdout}{ended.stderr}"
    return json.loads(ended.stdout)[0]


def _verdict(judge: StrictJudge, result: StrictResult | None) -> str:
    if result is None:
        return "NOT PLAYED"
    if result.today:
        return "WRONG TODAY"
    return "accused" if judge.check in result.accused else "NOT SEEN"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
