# Needs Python >= 3.11, git and make; everything else goes into $(VENV).
# `make demo` and `make test` are the two commands to start with.

VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
COVERAGE_DATA := build/coverage

# The first interpreter that really runs and is new enough (a shim may exist and still fail).
PYTHON ?= $(shell for candidate in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	if $$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	then command -v $$candidate; break; fi; done)

.DEFAULT_GOAL := help
.PHONY: help demo test laws fuzz check static format lint types layers coverage wheel baseline fleets bench peers readme docs clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# ---------------------------------------------------------------- environment

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer found; name one: make PYTHON=/path/to/python" >&2; exit 1; }
	@echo "Creating $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv $(VENV) || { rm -f $(BIN)/python; \
		echo "Creating $(VENV) failed; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }

# The stamps follow the files that decide what is installed.
$(VENV)/.runtime: pyproject.toml hatch_build.py | $(BIN)/python
	@echo "Installing toolgrammar into $(VENV)"
	@$(PIP) install --editable '.[cli]'
	@touch $@

$(VENV)/.development: pyproject.toml hatch_build.py | $(BIN)/python
	@echo "Installing toolgrammar and its development tools into $(VENV)"
	@$(PIP) install --upgrade 'pip>=25.1'
	@$(PIP) install --group dev --editable '.[cli]'
	@touch $@ $(VENV)/.runtime

$(VENV)/.benchmarks: pyproject.toml hatch_build.py | $(BIN)/python
	@echo "Installing toolgrammar and what it is compared with into $(VENV)"
	@$(PIP) install --upgrade 'pip>=25.1'
	@$(PIP) install --group bench --editable '.[cli,bench]'
	@touch $@

# ---------------------------------------------------------------- commands

demo: $(VENV)/.runtime ## install what running needs and read the calls of an example
	$(BIN)/toolgrammar parse examples/hermes_weather.txt --format hermes

test: $(VENV)/.development ## every test
	$(BIN)/python -m pytest -n auto

laws: $(VENV)/.development ## the laws over every place of every text: a long run
	TOOLGRAMMAR_EVERY_SPLIT=1 $(BIN)/python -m pytest -n auto tests/laws tests/units/core/test_reference.py

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
coverage: $(VENV)/.development ## all tests, with branch coverage
	@mkdir -p build
	$(BIN)/coverage run --data-file=$(COVERAGE_DATA) -m pytest
	$(BIN)/coverage report --data-file=$(COVERAGE_DATA)

wheel: $(VENV)/.development ## the tests of the built package alone
	$(BIN)/python -m pytest -m slow tests/house

baseline: $(VENV)/.development ## count the work of the hot paths anew: what tests/house/test_work.py compares with
	PYTHONHASHSEED=0 $(BIN)/python -m tests.house.work --write

# Spark needs Java too: apt-get install openjdk-17-jre-headless
fleets: $(VENV)/.development ## the steps for Ray and Spark, on a real one of each on this machine
	$(PIP) install --group fleets
	$(BIN)/python -m pytest -n 0 tests/fleets tests/units/bulk

bench: $(VENV)/.benchmarks ## the three suites of benchmarks/, with tables and plots in benchmarks/report
	$(BIN)/toolgrammar bench --into benchmarks/report

peers: $(VENV)/.benchmarks ## vLLM's and SGLang's parsers for `make bench`: 5 minutes, 7 GB
	$(BIN)/python benchmarks/peers/set_up.py

readme: $(VENV)/.development ## bring the README's table of formats up to date
	$(BIN)/python -m tests.house.format_table

docs: $(VENV)/.development ## write the pages of all codes and of all formats anew
	$(BIN)/python -m tests.house.recovery_page
	$(BIN)/python -m tests.house.formats_page

clean: ## remove the environment, caches and builds
	rm -rf $(VENV) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -type d -name __pycache__ -prune -exec rm -rf {} +
