# Every target sets up what it needs by itself.  `make help` lists them.

PYTHON ?= python3
CORES  ?= all
CONFIG ?= config/config.yaml
# Missing values of a dry run's table; the page says what was put in their place.
MISSING ?= impute_median
export DATA RESPONSE STUDY ID SPLIT IGNORE MISSING METRIC SUBMISSIONS DAYS THRESHOLDS QUANTILE MINUTES

VENV := $(abspath .venv)
BIN  := $(VENV)/bin
export PATH := $(BIN):$(PATH)
# Some machines forbid byte code; without it every job start takes seconds longer.
unexport PYTHONDONTWRITEBYTECODE
# Nothing of another Python may leak into this environment.
unexport PYTHONPATH
unexport PYTHONHOME
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help setup reproduce dryrun test benchmark lint manual lock unlock clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

setup: $(VENV)/.done  ## make the environment from the hash-locked requirements

$(VENV)/.done: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 11) <= v <= (3, 13) else \
	  "Shakedown needs Python 3.11, 3.12 or 3.13; $(PYTHON) is %d.%d. Name another one: make PYTHON=python3.12 ..." % v)'
	@echo "Setting up .venv (once; about a minute) ..."
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements.txt
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m shakedown.rehearsal
	@touch $@

reproduce: setup  ## run the study of CONFIG and print where its report lies
	@test -f "$(CONFIG)" || { echo "There is no configuration '$(CONFIG)'. Name one: make reproduce CONFIG=config/test.yaml"; exit 2; }
	@snakemake --cores $(CORES) --configfile $(CONFIG)
	@python -m shakedown.configuration.place $(CONFIG)

dryrun: setup  ## what is safe on a table of your own: DATA=my.csv RESPONSE=y, and more (see README)
	@test -n "$$DATA" -a -n "$$RESPONSE" || { printf '%s\n' \
	  'Name the table and the column to be predicted: make dryrun DATA=my.csv RESPONSE=y' \
	  'and, where they apply: ID=column SPLIT=column IGNORE=columns,with,commas STUDY=name MISSING=error' \
	  'METRIC=mse SUBMISSIONS=500 DAYS=30 QUANTILE=0.5 MINUTES=3 THRESHOLDS=(below 0, in units of METRIC)'; exit 2; }
	@config=$$(python -m shakedown.configuration.dryrun --data "$$DATA" --response "$$RESPONSE" \
	  --study "$$STUDY" --id "$$ID" --split "$$SPLIT" --ignore "$$IGNORE" --missing "$$MISSING" \
	  --metric "$$METRIC" --submissions "$$SUBMISSIONS" --days "$$DAYS" --thresholds="$$THRESHOLDS" \
	  --quantile "$$QUANTILE" --minutes "$$MINUTES") \
	  && $(MAKE) --no-print-directory reproduce CONFIG="$$config"

test: setup  ## pass the tests, the slow ones too
	@python -m pytest

benchmark: setup  ## time the engine against plain twins of the same algorithms
	@python -m benchmarks

lint: setup  ## check the style of code and workflow
	@ruff check . && ruff format --check .
	@snakefmt --check Snakefile workflow
	@snakemake --lint || echo "Expected: no conda environment or container for each rule; see README."

manual: setup  ## renew config/README.md from the schema
	@python -m shakedown.configuration workflow/schemas/config.schema.yaml > config/README.md

lock:  ## renew requirements.txt from pyproject.toml (needs uv)
	uv pip compile pyproject.toml --all-extras --generate-hashes --universal \
	  --python-version 3.11 --no-header --no-annotate --output-file requirements.txt

unlock: setup  ## after a killed run: let the next one go on where it stopped
	@snakemake --unlock --cores 1 --configfile $(CONFIG)

clean:  ## remove the environment and the caches, never the results
	rm -rf .venv .pytest_cache .ruff_cache $$(find src tests benchmarks -name __pycache__)
