# On a machine with python3 (3.11 or newer), make and a package index, `make run` and `make test` need nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
RUN_ARGS ?=

.PHONY: run test lint bench kill-matrix lock schema docs clean

run: $(READY)  ## the main job: every scenario, native and bridged, with a report of what differs
	$(BIN)/bridgecheck run $(RUN_ARGS)

test: $(READY)  ## the project's own tests
	$(BIN)/python -m pytest -q -n 2 $(TEST_ARGS)

lint: $(READY)  ## style, types, import contracts, corpus
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/bridgecheck lint

bench: $(READY)  ## speed against the floor, as ratios in one process
	$(BIN)/python bench/bench.py

kill-matrix: $(READY)  ## every planted fault over the whole corpus, and the checks that notice it
	$(BIN)/python tests/faulty_adapters/kill_matrix.py

schema: $(READY)  ## write the exported schemas anew from the code
	$(BIN)/python docs/write_schemas.py

docs: $(READY)  ## write the generated pages anew: which test shows what
	$(BIN)/python docs/write_coverage.py
	$(BIN)/python docs/write_proposals.py

# A hashed, universal lock; `pip install --no-build-isolation -e .` then builds with what the lock installed.
$(READY): requirements.lock pyproject.toml hatch_build.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "bridgecheck needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Try: make PYTHON=python3.12 ..."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

lock:  ## write requirements.lock anew from pyproject.toml (needs uv)
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links \
	  --no-annotate --no-header --all-extras --no-emit-package bridgecheck --output-file requirements.lock pyproject.toml

clean:
	rm -rf $(VENV) reports/local .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
