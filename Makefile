# On a machine with python3 (3.11 or newer), make and a package index, `make run` and `make test` need nothing else.
PYTHON ?= python3
# Tests start hundreds of processes: each would compile every module anew.
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -q --disable-pip-version-check
READY := $(VENV)/.ready
PEERS := .venv-peers
RUN_ARGS ?=
# One more than two cores have: many tests wait for servers, and for what hangs on purpose.
WORKERS ?= 3

NODE_FOLDER := tests/realclients/node
CLAUDE_FOLDER := tests/realclients/claude_code
CORE_FOLDER := tests/realclients/gemini_core
PI_FOLDER := tests/realclients/pi_agent
FRAMEWORKS := tests/realclients/frameworks
FRAMEWORKS_VENV := .venv-frameworks
BROWSER_FOLDER := tests/browser
RECORDER_FOLDER := tests/formats/tools
BROWSER_PACKAGES := chromium chromium-driver fonts-dejavu-core

.PHONY: run test slow browser claude_code gemini_core pi_agent lint types types-3.11 types-3.13 corpus deep fuzz-mutants bench bench-peers adapters report repros recorders matrix findings agreement changelog lock schema docs node_modules frameworks clean

run: $(READY)  ## the main job: every scenario, native and bridged, with a report of what differs
	$(BIN)/bridgecheck run $(RUN_ARGS)

test: $(READY) node_modules browser  ## the project's own tests
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m "not slow" $(TEST_ARGS)

slow: $(READY) node_modules browser claude_code gemini_core pi_agent frameworks recorders repros reports/llm-rosetta/.venv/.ready  ## nightly: what make test leaves out, heavy clients and deep laws, and every published reproduction
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal -m slow $(TEST_ARGS)

lint: $(READY)  ## style, types, import contracts, corpus
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(MAKE) --no-print-directory --jobs 2 --output-sync types corpus

# For the oldest Python and the newest: the standard library's types differ. A cache each, so neither waits for the other.
types: types-3.11 types-3.13

types-3.11 types-3.13: types-%: $(READY)
	$(BIN)/mypy --python-version $*

corpus: $(READY)
	$(BIN)/bridgecheck lint

deep: $(READY)  ## the laws over generated conversations and answers, 2,000 examples each (about half an hour)
	HYPOTHESIS_PROFILE=deep $(BIN)/python -m pytest -q -n 2 tests/laws tests/reference/convert/test_laws.py $(TEST_ARGS)

fuzz-mutants: $(READY)  ## whether bridgecheck fuzz finds planted faults: 20 of them, picked by a seed
	$(BIN)/python tests/faulty_adapters/fuzz_mutants.py

bench: $(READY)  ## speed against the floor, as ratios in one process
	$(BIN)/python bench/bench.py

bench-peers: $(PEERS)/.ready  ## speed beside LiteLLM's conversion step, in its own environment (newest from PyPI)
	PYTHONPATH=harness:reference_impl $(PEERS)/bin/python bench/peers.py

$(PEERS)/.ready:
	test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install -q --upgrade litellm orjson typing-extensions
	touch $@

# One environment an adapter, of what its list pins and nothing else, so that no two meet: .venv in its folder. Those in
# JavaScript have a package.json too, beside the Node.js of their list: node_modules. Those with a report lie below
# reports/, those that were run for a precision trial alone below tests/precision/adapters/.
ADAPTERS := $(patsubst %/adapter.toml,%,$(wildcard reports/*/adapter.toml tests/precision/adapters/*/adapter.toml))
ENVIRONMENTS := $(patsubst %/requirements.txt,%/.venv/.ready,$(wildcard $(addsuffix /requirements.txt,$(ADAPTERS)))) \
  $(patsubst %/package-lock.json,%/node_modules/.ready,$(wildcard $(addsuffix /package-lock.json,$(ADAPTERS))))

adapters: $(ENVIRONMENTS)  ## install the adapters that there are recipes for
	@echo "now, for each: make report NAME=..."

%/.venv/.ready: %/requirements.txt | $(READY)
	@test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	@echo "installing $<"; $(BIN)/uv pip install -q --no-deps --python $(@D)/bin/python -r $< 2>/dev/null || \
	  $(@D)/bin/python -m pip install -q --disable-pip-version-check --no-deps -r $<
	@touch $@

%/node_modules/.ready: %/package-lock.json %/.venv/.ready
	PATH="$(CURDIR)/$*/.venv/bin:$$PATH" npm ci --prefer-offline --prefix $* --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# The exit code 1 says that something of the adapter fails, which is what a report is for; others end this.
REPORT_FOLDER = reports/$(NAME)

report: $(READY)  ## run one adapter anew and pack its report: make report NAME=litellm-proxy REPORT_ARGS=--update-deviations
	@test -n "$(NAME)" -a -f $(REPORT_FOLDER)/adapter.toml || { echo "there is no reports/$(NAME)/adapter.toml: make report NAME=..."; exit 2; }
	$(MAKE) --no-print-directory $(READY) $(filter $(REPORT_FOLDER)/%,$(ENVIRONMENTS))
	$(BIN)/bridgecheck smoke $(REPORT_FOLDER)/adapter.toml || test $$? -eq 1
	$(BIN)/bridgecheck run --adapter $(REPORT_FOLDER)/adapter.toml --report $(REPORT_FOLDER) $(REPORT_ARGS) || test $$? -eq 1
	gzip --best --no-name --force $(REPORT_FOLDER)/report.json

# The environments of those adapters of which something is published.
PUBLISHED := $(patsubst %/findings.toml,%,$(shell grep -ls '^\[\[finding' reports/*/findings.toml))

repros: $(READY) $(filter $(addsuffix /%,$(PUBLISHED)),$(ENVIRONMENTS))  ## every published finding: its script made, and run on its adapter
	$(BIN)/python tests/repros.py

matrix: $(READY)  ## faults and liberties that changed: docs/kill-matrix.md, docs/liberties.md; MATRIX_ARGS=--anew runs all
	$(BIN)/python tests/faulty_adapters/kill_matrix.py $(MATRIX_ARGS)
	$(BIN)/python tests/liberties/strict_matrix.py $(MATRIX_ARGS)
	$(BIN)/python tests/liberties/liberty_matrix.py $(MATRIX_ARGS)

findings: $(READY)  ## how many findings a planted fault makes, and whether two are told apart; FINDINGS_ARGS="--every 8"
	$(BIN)/python tests/faulty_adapters/finding_counts.py $(FINDINGS_ARGS)

agreement: $(READY)  ## the reference gateway over HTTP beside the same conversions in process, over the whole corpus
	$(BIN)/python tests/agreement.py

schema: $(READY)  ## write the exported schemas anew from the code
	$(BIN)/python docs/write_schemas.py

docs: $(READY)  ## write the generated pages anew: which test shows what, where each field ends
	$(BIN)/python docs/write_coverage.py
	$(BIN)/python docs/write_proposals.py
	$(BIN)/python docs/write_ledger.py
	$(BIN)/python docs/write_rules.py
	$(BIN)/python docs/write_catalogue.py
	$(BIN)/python docs/write_clients.py
	$(BIN)/python docs/write_outcome.py
	$(BIN)/python docs/write_published.py
	$(BIN)/python docs/write_architecture.py

# A hashed, universal lock; `pip install --no-build-isolation -e .` then builds with what the lock installed. uv takes
# seconds where pip takes half a minute; pip knows indexes that uv was not told of.
$(READY): requirements.lock pyproject.toml hatch_build.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "bridgecheck needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Try: make PYTHON=python3.12 ..."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	sed -n '/^uv==/,/[^\\]$$/p' requirements.lock > $(VENV)/uv.lock
	$(PIP) --require-hashes -r $(VENV)/uv.lock
	$(BIN)/uv pip install -q --compile-bytecode --python $(BIN)/python --require-hashes -r requirements.lock 2>/dev/null || \
	  $(PIP) --require-hashes -r requirements.lock
	$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

# JavaScript clients for tests/realclients; without npm those tests are skipped, or fail where CI is set.
node_modules: $(NODE_FOLDER)/node_modules/.ready

$(NODE_FOLDER)/node_modules/.ready: $(NODE_FOLDER)/package-lock.json
	@if command -v npm >/dev/null; then \
	  npm ci --prefer-offline --prefix $(NODE_FOLDER) --omit=optional --ignore-scripts --no-audit --no-fund --loglevel=error && touch $@; \
	else echo "npm is missing: the tests with JavaScript clients will not run"; fi

# Agent frameworks for tests/realclients, with a Node.js of their own. About 400 MB, so make test does without. Where
# they cannot be installed their tests are skipped, or fail where CI is set.
frameworks: $(READY)
	@$(MAKE) --no-print-directory $(FRAMEWORKS)/node_modules/.ready || \
	  echo "the agent frameworks could not be installed: their tests will not run"

$(FRAMEWORKS_VENV)/.ready: $(FRAMEWORKS)/requirements.txt
	@test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	$(BIN)/uv pip install -q --python $(@D)/bin/python --require-hashes -r $< 2>/dev/null || \
	  $(@D)/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r $<
	@touch $@

$(FRAMEWORKS)/node_modules/.ready: $(FRAMEWORKS)/package-lock.json $(FRAMEWORKS_VENV)/.ready
	PATH="$(CURDIR)/$(FRAMEWORKS_VENV)/bin:$$PATH" npm ci --prefer-offline --prefix $(FRAMEWORKS) --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# Tools that record and play, for tests/formats: an environment each, since two versions of vcrpy are among them. Where
# they cannot be installed their tests are skipped, or fail where CI is set.
RECORDERS := $(patsubst $(RECORDER_FOLDER)/requirements/%.txt,.venv-recorders/%/.ready,$(wildcard $(RECORDER_FOLDER)/requirements/*.txt))

recorders: $(READY)  ## install the tools whose recordings are read and written
	@$(MAKE) --no-print-directory $(RECORDERS) $(RECORDER_FOLDER)/node/node_modules/.ready || echo "not every recorder could be installed: their tests will not run"

.venv-recorders/%/.ready: $(RECORDER_FOLDER)/requirements/%.txt
	@test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	$(BIN)/uv pip install -q --python $(@D)/bin/python --require-hashes -r $< 2>/dev/null || \
	  $(@D)/bin/python -m pip install -q --disable-pip-version-check --require-hashes -r $<
	@touch $@

# aimock, which records into fixtures.
$(RECORDER_FOLDER)/node/node_modules/.ready: $(RECORDER_FOLDER)/node/package-lock.json
	npm ci --prefer-offline --prefix $(RECORDER_FOLDER)/node --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# Claude Code, with the binary for this machine (230 MB): an optional dependency of its package.
claude_code: $(CLAUDE_FOLDER)/node_modules/.ready

$(CLAUDE_FOLDER)/node_modules/.ready: $(CLAUDE_FOLDER)/package-lock.json
	@if command -v npm >/dev/null; then \
	  npm ci --prefer-offline --prefix $(CLAUDE_FOLDER) --ignore-scripts --no-audit --no-fund --loglevel=error && touch $@; \
	else echo "npm is missing: the tests with Claude Code will not run"; fi

# The core of gemini-cli, which the reference chat is compared with (370 MB).
gemini_core: $(CORE_FOLDER)/node_modules/.ready

$(CORE_FOLDER)/node_modules/.ready: $(CORE_FOLDER)/package-lock.json
	@if command -v npm >/dev/null; then \
	  npm ci --prefer-offline --prefix $(CORE_FOLDER) --omit=optional --ignore-scripts --no-audit --no-fund --loglevel=error && touch $@; \
	else echo "npm is missing: the chat will not be compared with the core of gemini-cli"; fi

# The agent core of pi, with every provider's SDK (140 MB).
pi_agent: $(PI_FOLDER)/node_modules/.ready

$(PI_FOLDER)/node_modules/.ready: $(PI_FOLDER)/package-lock.json
	@if command -v npm >/dev/null; then \
	  npm ci --prefer-offline --prefix $(PI_FOLDER) --omit=optional --ignore-scripts --no-audit --no-fund --loglevel=error && touch $@; \
	else echo "npm is missing: the gateway will not be tried with the agent core of pi"; fi

# Headless Chromium for tests/browser: Debian packages, put there where that is allowed; and axe-core.
browser: $(BROWSER_FOLDER)/node_modules/.ready
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || \
	{ command -v apt-get >/dev/null && test "$$(id -u)" = 0 && apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(BROWSER_PACKAGES) >/dev/null; } || \
	echo "the tests of pages in a browser will not run; they need: apt-get install $(BROWSER_PACKAGES)"

$(BROWSER_FOLDER)/node_modules/.ready: $(BROWSER_FOLDER)/package-lock.json
	@if command -v npm >/dev/null; then \
	  npm ci --prefer-offline --prefix $(BROWSER_FOLDER) --ignore-scripts --no-audit --no-fund --loglevel=error && touch $@; \
	else echo "npm is missing: the accessibility of pages will not be tested"; fi

# Without VERSION it prints what the next release would say.
changelog: $(READY)  ## assemble CHANGELOG.md from changelog.d: make changelog VERSION=1.2.3
	$(BIN)/towncrier build $(if $(VERSION),--yes --version $(VERSION),--draft --version Unreleased)

# Extras stay in it: pip takes a requirement with extras for one without a hash where only the plain name has one.
PIN := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links \
  --no-annotate --no-header --no-strip-extras

# requirements.run.lock is the part of it that a run needs, and to build the package: what action.yml installs beside an adapter.
lock:  ## write requirements.lock and its part for runs anew from pyproject.toml (needs uv), and the list of the agent frameworks
	$(PIN) --all-extras --no-emit-package bridgecheck --output-file requirements.lock pyproject.toml
	$(PIN) --extra anthropic --group pyproject.toml:build --constraint requirements.lock --output-file requirements.run.lock pyproject.toml
	$(PIN) --output-file $(FRAMEWORKS)/requirements.txt $(FRAMEWORKS)/requirements.in

clean:
	rm -rf $(VENV) $(NODE_FOLDER)/node_modules $(CORE_FOLDER)/node_modules $(PI_FOLDER)/node_modules $(RECORDER_FOLDER)/node/node_modules $(FRAMEWORKS_VENV) .venv-recorders $(FRAMEWORKS)/node_modules $(BROWSER_FOLDER)/node_modules reports/local .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
