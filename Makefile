# Needs Python >= 3.11, git and make; everything else goes into $(VENV).
# `make demo` and `make test` are the two commands to start with.

VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
SAMPLE ?= 300
SEED ?= 0
PATHS ?= toolgrammar/grammar toolgrammar/patterns toolgrammar/core toolgrammar/reference

# The first interpreter that really runs and is new enough (a shim may exist and still fail).
PYTHON ?= $(shell for candidate in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	if $$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	then command -v $$candidate; break; fi; done)

.DEFAULT_GOAL := help
.PHONY: help demo test laws evening fuzz check static format lint types layers coverage mutants wheel compiled baseline agents fleets litellm servers bench peers league readme docs clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# ---------------------------------------------------------------- environment

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer found; name one: make PYTHON=/path/to/python" >&2; exit 1; }
	@echo "Creating $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv $(VENV) || { rm -f $(BIN)/python; \
		echo "Creating $(VENV) failed; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }

# The stamps follow the files that decide what is installed. Of what the tools bring, a run imports
# a part: it compiles that itself, sooner than pip compiles all.
$(VENV)/.runtime: pyproject.toml distribution/hook.py | $(BIN)/python
	@echo "Installing toolgrammar into $(VENV)"
	@$(PIP) install --editable '.[cli]'
	@touch $@

$(VENV)/.development: pyproject.toml distribution/hook.py | $(BIN)/python
	@echo "Installing toolgrammar and its development tools into $(VENV)"
	@$(PIP) install --upgrade 'pip>=25.1'
	@$(PIP) install --no-compile --group dev --editable '.[cli]'
	@touch $@ $(VENV)/.runtime

$(VENV)/.mutation: $(VENV)/.development
	@echo "Installing what makes mutants into $(VENV)"
	@$(PIP) install --group mutation
	@touch $@

$(VENV)/.benchmarks: pyproject.toml distribution/hook.py | $(BIN)/python
	@echo "Installing toolgrammar and what it is compared with into $(VENV)"
	@$(PIP) install --upgrade 'pip>=25.1'
	@$(PIP) install --group bench --editable '.[cli,bench]'
	@touch $@

# ---------------------------------------------------------------- commands

demo: $(VENV)/.runtime ## install what running needs and read the calls of an example
	$(BIN)/toolgrammar parse examples/hermes_weather.txt --format hermes

# Each law takes another sixth of the formats, and heavy tests are left out; `.ci/run` asks for all
# of them, or for a third of the formats where the machine is slow, or for these where it is slower yet.
FORMATS ?= sixth
test: $(VENV)/.development ## units and pages, and each law over a sixth of the formats: 2 to 5 minutes
	@$(BIN)/python -m tests.expected_time $(FORMATS)
	@echo "FORMATS=all: what .ci/run holds; make laws: the laws over every case"
	TOOLGRAMMAR_LAWS=$${TOOLGRAMMAR_LAWS:-$(if $(filter sixth,$(FORMATS)),quick,few)} \
		$(BIN)/python -m pytest -n auto --dist worksteal --formats $(FORMATS) \
		-m "not slow$(if $(filter sixth,$(FORMATS)), and not heavy)"

# What `make test` cuts short, here at its full length; the laws of the pages are among them.
LAWS := tests/laws tests/units/reference/test_reference.py tests/units/recovery/test_recovery_laws.py \
	tests/units/values/test_possessive.py

laws: $(VENV)/.development ## the laws over every case of every format: 10 to 28 minutes
	@$(BIN)/python -m tests.expected_time laws
	$(BIN)/python -m pytest -n auto --dist worksteal $(LAWS) grammars

evening: $(VENV)/.development ## the laws at every place of every text, and over many drawn ones: hours
	TOOLGRAMMAR_LAWS=every $(BIN)/python -m pytest -n auto $(LAWS) grammars

fuzz: $(VENV)/.development ## look for inputs that break a promise, a minute a target; make the attacks
	@$(PIP) install --group fuzz || echo "no Atheris for this Python"
	$(BIN)/python -m fuzz.run

check: static coverage ## everything: format, lint, types, layers, all tests with coverage

static: format lint types layers ## what can be checked without running a test

format: $(VENV)/.development ## formatting, compared only
	$(BIN)/ruff format --check .

lint: $(VENV)/.development ## ruff's rules
	$(BIN)/ruff check .

types: $(VENV)/.development ## mypy, strict
	$(BIN)/mypy

layers: $(VENV)/.development ## which package may import which
	$(BIN)/lint-imports --no-cache

# Not `pytest --cov`: the pytest plugin loads the package before --cov starts counting.
coverage: export COVERAGE_FILE = $(CURDIR)/build/coverage
coverage: $(VENV)/.development ## all tests, with branch coverage; fails below the floor in pyproject.toml
	@mkdir -p build && rm -f build/coverage build/coverage.*
	$(BIN)/coverage run -m pytest -n auto
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

mutants: $(VENV)/.mutation ## how many small faults the tests notice: SAMPLE=300 SEED=0 PATHS="..."; CONTRIBUTING.md
	$(BIN)/python -m tests.mutation --sample $(SAMPLE) --seed $(SEED) $(PATHS)

wheel: $(VENV)/.development ## the tests of the built package alone
	$(BIN)/python -m pytest -m slow tests/house

# A copy of the checkout, so that no library lies beside the sources that people edit.
COMPILED := build/compiled
compiled: $(VENV)/.development ## the core compiled to C, and the laws and the units over it: 5 minutes
	rm -rf $(COMPILED)
	$(BIN)/python distribution/compiled.py $(COMPILED)
	cd $(COMPILED) && TOOLGRAMMAR_LAWS=$${TOOLGRAMMAR_LAWS:-few} $(abspath $(BIN))/python -m pytest \
		-n auto --dist worksteal -m "not slow and not interpreted" tests/laws tests/units grammars

baseline: $(VENV)/.development ## count the work of the hot paths anew: what tests/house/test_work.py compares with
	PYTHONHASHSEED=0 $(BIN)/python -m tests.house.work --write

# DSPy keeps `openai` below 3, so it gets an environment of its own.
agents: $(VENV)/.development ## the models for agent libraries, in real agents of each: 1 GB
	$(PIP) install --group agents
	$(BIN)/python -m pytest -n 0 tests/agents tests/units/agents
	test -x build/dspy/bin/python || $(PYTHON) -m venv build/dspy
	build/dspy/bin/python -m pip --disable-pip-version-check --quiet install --upgrade 'pip>=25.1'
	build/dspy/bin/python -m pip --disable-pip-version-check --quiet install --group dspy --editable .
	build/dspy/bin/python -m pytest tests/agents/test_dspy.py tests/agents/test_docs.py

# Spark needs Java too: apt-get install openjdk-17-jre-headless
fleets: $(VENV)/.development ## the steps for Ray and Spark, on a real one of each on this machine
	$(PIP) install --group fleets
	$(BIN)/python -m pytest -n 0 tests/fleets tests/units/bulk

# Their own environment: the wheels are unpacked there without GPU parts, and the entry points need
# an installed package.
PEERS := $(or $(TOOLGRAMMAR_PEERS),$(CURDIR)/.venv-peers)/environment/bin/python
servers: | $(BIN)/python ## the parsers for vLLM and SGLang, through their own classes: 5 minutes and 3 to 7 GB once
	$(BIN)/python benchmarks/peers/set_up.py
	$(PEERS) -m pip --disable-pip-version-check --quiet install 'pytest>=9,<10' 'hypothesis>=6.100' --editable .
	$(PEERS) -m pytest -W ignore tests/servers

# Its proxy pins the versions of many packages, so it gets an environment of its own as well.
litellm: | $(BIN)/python ## the callback for LiteLLM, in the real package and its own proxy: 1 GB
	test -x build/litellm/bin/python || $(PYTHON) -m venv build/litellm
	build/litellm/bin/python -m pip --disable-pip-version-check --quiet install --upgrade 'pip>=25.1'
	build/litellm/bin/python -m pip --disable-pip-version-check --quiet install --group litellm --editable '.[proxy]'
	build/litellm/bin/python -m pytest tests/fleets/test_litellm.py tests/fleets/test_litellm_proxy.py

bench: $(VENV)/.benchmarks ## the three suites of benchmarks/, with tables and plots in benchmarks/report
	$(BIN)/toolgrammar bench --into benchmarks/report

peers: $(VENV)/.benchmarks ## vLLM's and SGLang's parsers for `make bench`: 5 minutes, 7 GB
	$(BIN)/python benchmarks/peers/set_up.py

league: $(VENV)/.benchmarks ## every reader of tool calls from PyPI over public suites: 15 minutes, and as `peers` once; DATA="files"
	$(BIN)/python benchmarks/peers/set_up.py
	$(BIN)/python benchmarks/league $(addprefix --data ,$(DATA)) --into benchmarks/report

readme: $(VENV)/.development ## bring the README's table of formats up to date
	$(BIN)/python -m tests.house.format_table

docs: $(VENV)/.development ## write the pages of all codes and of all formats anew
	$(BIN)/python -m tests.house.recovery_page
	$(BIN)/python -m tests.house.formats_page

clean: ## remove the environment, caches and builds
	rm -rf $(VENV) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -type d -name __pycache__ -prune -exec rm -rf {} +
