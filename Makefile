# The main jobs. `.venv` is made when it is missing and brought up to date when the pins change.
#
#   make report [DEALS=100_000_000] [JOBS=2]   everything, rendered under reports/ (OUT=...)
#   make test | test-all | lint | bench        checks (test-all: the slow ones too)
#   make pins [UPGRADE=--upgrade]              new requirements.txt from pyproject.toml
#   make clean                                 all that can be made anew

PYTHON ?= python3
DEALS ?= 100_000_000
JOBS ?=
OUT ?= reports
TEST_JOBS ?= 2
UPGRADE ?=

BIN := .venv/bin
INSTALLED := .venv/.stamp-installed
REQUIREMENTS := .venv/.stamp-requirements

# nothing of the machine's own Python packages gets in
export PYTHONNOUSERSITE := 1
unexport PYTHONPATH PYTHONHOME

.PHONY: report test test-all lint bench pins clean environment

report: $(INSTALLED)
	$(BIN)/montecarlo report --deals $(DEALS) --out $(OUT) $(if $(JOBS),--jobs $(JOBS))

test: $(INSTALLED)
	$(BIN)/python -m pytest -m "not slow" -n $(TEST_JOBS) --dist loadfile

test-all: $(INSTALLED)
	$(BIN)/python -m pytest -n $(TEST_JOBS) --dist loadfile

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(INSTALLED)
	$(BIN)/python benchmarks/speed.py

environment: $(INSTALLED)

$(INSTALLED): $(REQUIREMENTS) pyproject.toml setup.py
	$(BIN)/python -m pip install -q --no-deps --no-build-isolation -e .
	@touch $@

$(REQUIREMENTS): requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || \
	  { echo "montecarlo needs Python 3.11 to 3.13; say which: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q --require-hashes --no-deps -r requirements.txt
	@touch $@

pins:
	$(PYTHON) -m venv .pins
	.pins/bin/python -m pip install -q uv
	sed '/^#/d' requirements.txt > .pins/requirements.txt
	.pins/bin/uv pip compile pyproject.toml --extra dask --extra dev --universal --quiet \
	  --python-version 3.11 --generate-hashes --no-annotate --no-header $(UPGRADE) \
	  --output-file .pins/requirements.txt
	{ sed -n '/^#/p' requirements.txt; cat .pins/requirements.txt; } > .pins/new.txt
	mv .pins/new.txt requirements.txt

clean:
	rm -rf .venv .pins build dist *.egg-info reports/build
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
