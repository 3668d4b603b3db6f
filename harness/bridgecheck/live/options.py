"""The options of ``bridgecheck record --live`` and ``bridgecheck refresh``, checked before any provider is reached."""

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bridgecheck.errors import RefusedAtStart
from bridgecheck.files.corpus import cassettes_root
from bridgecheck.live.plan import Price
from bridgecheck.live.player import is_on_this_machine
from bridgecheck.live.spending import Limits
from bridgecheck.record.options import RecordOptions, parse_providers
from bridgecheck.wire import DIALECTS, Dialect


class BadLive(RefusedAtStart):
    """An option of a live recording is not what it should be."""

    code = "bad-live"


NO_LIMITS: Final = Limits()
TRIES: Final = 3
LONGEST_WAIT: Final = 120
TIMEOUT: Final = 120


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """The command line. ``live``: DIALECT=URL each; ``key_env``: NAME or DIALECT=NAME; ``model``: NAME or
    DIALECT=NAME; ``price``: MODEL=INPUT,OUTPUT in US dollars for a million tokens; ``scenario``: globs, () for all.
    ``longest_wait``, ``timeout``: in seconds. ``corpus``: None for what the environment names. Of refresh
    alone: ``missing``, also what FOLDER does not hold; ``change``: the file for a reviewer, None for none; ``adapter``:
    whose verdicts stand in it, "" for the project's."""

    out: Path
    live: Sequence[str] = ()
    scenario: Sequence[str] = ()
    key_env: Sequence[str] = ()
    model: Sequence[str] = ()
    price: Sequence[str] = ()
    dry_run: bool = False
    resume: bool = False
    tries: int = TRIES
    limits: Limits = NO_LIMITS
    longest_wait: float = LONGEST_WAIT
    ca_file: Path | None = None
    timeout: float = TIMEOUT
    corpus: Path | None = None
    command: str = "record"
    missing: bool = False
    change: Path | None = None
    adapter: str = ""

    def line(self, *, resume: bool) -> str:
        """Return the command line that does this again, or goes on with it."""
        globs = [
            part for glob in self.scenario for part in (("--scenario", glob) if self.command == "record" else (glob,))
        ]
        parts = [
            "bridgecheck", self.command, *globs, "--out", str(self.out), *_repeat("--live", self.live),
            *_repeat("--key-env", self.key_env), *_repeat("--model", self.model), *_repeat("--price", self.price),
        ]  # fmt: skip
        limits = self.limits
        for name, value, default in (
            ("--max-calls", limits.calls, None), ("--max-tokens", limits.tokens, None),
            ("--max-usd", limits.dollars, None), ("--ca-file", self.ca_file, None), ("--corpus", self.corpus, None),
            ("--tries", self.tries, TRIES), ("--longest-wait", self.longest_wait, LONGEST_WAIT),
            ("--timeout", self.timeout, TIMEOUT), ("--change", self.change, None), ("--adapter", self.adapter, ""),
        ):  # fmt: skip
            parts += [name, str(value).removesuffix(".0")] if value != default else []
        parts += ["--missing"] if self.missing else []
        return shlex.join([*parts, *(["--resume"] if resume else [])])


def _repeat(name: str, values: Iterable[str]) -> list[str]:
    return [part for value in values for part in (name, value)]


def check_live(options: LiveOptions, environment: Mapping[str, str] = os.environ) -> dict[Dialect, str]:
    """Return DIALECT=URL by dialect. Keys are read from the environment, and nowhere else. Raises RefusedAtStart:
    BadServe and MissingKey as the recorder does."""
    if not options.live:
        raise BadLive("no provider is named", "--live", "--live DIALECT=https://HOST, for each provider")
    key_env = [] if options.dry_run else options.key_env  # a plan needs no key
    providers = parse_providers(RecordOptions(serve=options.live, out=options.out, key_env=key_env), {}, environment)
    by_dialect = {provider.dialect: serve for provider, serve in zip(providers, options.live, strict=True)}
    without = [provider.dialect for provider in providers if not provider.key]
    if without and not options.dry_run:
        what = f"no key for {', '.join(without)}"
        raise BadLive(what, "--key-env", f"--key-env {without[0]}=NAME, a variable with the key in it")
    is_corpus = options.out.resolve().is_relative_to(cassettes_root().resolve())
    stand_in = next((serve for serve in options.live if is_on_this_machine(serve.partition("=")[2])), "")
    if is_corpus and stand_in:
        what = "a stand-in on this machine is no evidence about a provider, and the corpus holds evidence"
        raise BadLive(what, f"--live {stand_in} --out {options.out}", "another folder")
    return by_dialect


def key_env_of(options: LiveOptions, dialect: Dialect) -> tuple[str, ...]:
    """Return --key-env as a recorder of this dialect alone takes it."""
    for option in options.key_env:
        name_of, _, name = option.rpartition("=")
        if name_of in ("", dialect):
            return (name,)
    return ()


def parse_models(options: LiveOptions) -> dict[Dialect, str]:
    """Return --model by dialect. Raises BadLive."""
    served = [serve.partition("=")[0] for serve in options.live]
    models: dict[Dialect, str] = {}
    for option in options.model:
        dialect, _, name = option.rpartition("=")
        if not dialect and len(served) > 1:
            expected = f"--model DIALECT=NAME for each of {', '.join(served)}"
            raise BadLive("one model for several providers", f"--model {option}", expected)
        dialect = dialect or served[0]
        if dialect not in served or dialect not in DIALECTS or not name:
            raise BadLive("a model of no provider that is asked", f"--model {option}", f"one of {', '.join(served)}")
        models[dialect] = name
    return models


def parse_prices(options: LiveOptions) -> dict[str, Price]:
    """Return --price by model. Raises BadLive."""
    prices = {}
    for option in options.price:
        model, _, both = option.partition("=")
        try:
            input_price, output_price = (float(number) for number in both.split(","))
        except ValueError:
            expected = "MODEL=INPUT,OUTPUT in US dollars for a million tokens: gpt-4.1-mini=0.40,1.60"
            raise BadLive("no price", f"--price {option}", expected) from None
        prices[model] = Price(input_price, output_price)
    return prices
