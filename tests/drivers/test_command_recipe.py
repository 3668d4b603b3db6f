"""Recipes for commands: environment, folder and claims are applied."""

from pathlib import Path

import pytest

from bridgecheck.drivers import resolve
from bridgecheck.errors import BadRecipe, BadTarget

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "command_python"

SHIM = """\
import os
from pathlib import Path
from shim import serve

class Named:
    name, version = os.environ["WORD"], Path.cwd().name
    routes = [("outcome", "gemini")]
    cannot_say = ["citations"]
    def call(self, **options):
        return {}

serve(Named())
"""


def _recipe(tmp_path: Path, more: str = "") -> str:
    folder = tmp_path / "my adapter"
    folder.mkdir()
    (folder / "named.py").write_text(SHIM, encoding="utf-8")
    path = folder / "adapter.toml"
    env = f'env = {{ PYTHONPATH = "{EXAMPLES}", WORD = "from {{here}}" }}'
    path.write_text(f'target = "command:{{python}} {{here}}/named.py"\n{env}\n{more}\n', encoding="utf-8")
    return str(path)


def test_a_command_gets_the_environment_and_the_folder_of_its_recipe(tmp_path: Path) -> None:
    driver = resolve(_recipe(tmp_path))
    assert (driver.info.name, driver.info.version) == (f"from {tmp_path / 'my adapter'}", "my adapter")
    assert driver.inexpressible_or_unclaimed_features == {"citations"}
    assert driver.judged_on_all


def test_the_claims_of_a_recipe_replace_the_adapter_s_own(tmp_path: Path) -> None:
    driver = resolve(_recipe(tmp_path, 'claims = ["tools"]\ncwd = "/"'))
    assert {"citations", "thinking", "signatures"} <= driver.inexpressible_or_unclaimed_features
    assert not driver.judged_on_all


def test_files_are_in_its_home_at_every_start(tmp_path: Path) -> None:
    path = _recipe(
        tmp_path,
        'cwd = "{tmp}"\nfiles = { "shims/named.py" = """\n'
        + SHIM.replace("Path.cwd().name", 'os.environ["PLACE"]')
        + '"""}',
    )
    text = Path(path).read_text(encoding="utf-8")
    text = text.replace("{here}/named.py", "{tmp}/shims/named.py").replace(
        'WORD = "from {here}"', 'WORD = "w", PLACE = "{tmp}"'
    )
    Path(path).write_text(text, encoding="utf-8")
    driver = resolve(path)
    home = Path(driver.info.version)
    assert home.name.startswith("bridgecheck-") and not home.exists()
    for _ in range(2):
        driver.ready()
        driver.close()


def test_the_timeouts_of_the_recipe_apply(tmp_path: Path) -> None:
    driver = resolve(_recipe(tmp_path, "timeout = 33\nready = { seconds = 44 }"))
    assert driver.timeout == 33
    silent = tmp_path / "silent.toml"
    silent.write_text('target = "command:sleep 60"\nready = { seconds = 0.5 }\n', encoding="utf-8")
    with pytest.raises(BadTarget, match=r"no answer to start within 0.5 s"):
        resolve(str(silent))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('routes = [["gemini", "gemini"]]', "is for gateways"),
        ('command = ["x"]', "is for gateways"),
        ('ready = { path = "/" }', "a command is ready when it answers start"),
        ('cwd = "{upstream}"', "{upstream} in cwd is for gateways"),
        ('files = { "../x" = "" }', "all within {tmp}"),
    ],
)
def test_settings_only_for_gateways_are_refused(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(BadRecipe) as refused:
        resolve(_recipe(tmp_path, line))
    assert message in str(refused.value)


@pytest.mark.parametrize(("old", "new"), [("{here}/named.py", "{port}"), ("from {here}", "{upstream_url}")])
def test_values_sent_with_each_call_allow_no_placeholder(tmp_path: Path, old: str, new: str) -> None:
    path = Path(_recipe(tmp_path))
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(BadRecipe, match="told where the provider is by each call"):
        resolve(str(path))
