# Every target sets up what it needs.  `make help` lists the targets.

# Values from the command line are plain text: neither make nor the shell expands them.  Recipes read
# them, in quotes, from the environment.
$(foreach name,$(.VARIABLES),$(if $(filter command,$(origin $(name))),$(eval override $(name) := $$(value $(name)))))
PYTHON ?= python3
CORES  ?= all
CONFIG ?= config/config.yaml
# What to do with missing values in a dry run; the page reports it.
MISSING ?= impute_median
export PYTHON CORES CONFIG DATA RESPONSE CLASSES STUDY ID SPLIT SIZES GROUP WEIGHT EVENT HORIZONS IGNORE MISSING METRIC SUBMISSIONS DAYS
export THREAT REQUIRE THRESHOLDS QUANTILE MINUTES ROW_VARIANCE GROUP_CORRELATION REPLACE RESPONSE_TABLE SHA256 RESPONSE_TABLE_SHA256

VENV := $(abspath .venv)
BIN  := $(VENV)/bin
export PATH := $(BIN):$(PATH)
# Some machines forbid byte code; without it each job starts seconds later.
unexport PYTHONDONTWRITEBYTECODE
# Keep settings of another Python out of this environment.
unexport PYTHONPATH
unexport PYTHONHOME
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help setup reproduce boards dryrun test full docs benchmark lint manual lock unlock clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

setup: $(VENV)/.done  ## make the environment from the hash-locked requirements

$(VENV)/.done: requirements.txt pyproject.toml
	@"$$PYTHON" -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if (3, 11) <= v <= (3, 13) else \
	  "Shakedown needs Python 3.11, 3.12 or 3.13; got %d.%d. Name another one: make PYTHON=python3.12 ..." % v)'
	@echo "Setting up .venv (once; about a minute) ..."
	@"$$PYTHON" -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements.txt
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m shakedown.simulation.warm_up
	@touch $@

reproduce: setup  ## run the study CONFIG and print the path of its report
	@shakedown reproduce --cores="$$CORES" -- "$$CONFIG"

boards: setup  ## compare boards: what is proved, what attacks gain, what honest teams see (ten minutes on two cores)
	@shakedown reproduce --cores="$$CORES" -- config/boards.yaml

dryrun: setup  ## find safe submission limits for your table: DATA=my.csv RESPONSE=y (see docs/guide.md)
	@test -n "$$DATA" && test -n "$$RESPONSE$$RESPONSE_TABLE" || { printf '%s\n' \
	  'Name the table and the response column: make dryrun DATA=my.csv RESPONSE=y' \
	  'Several responses: RESPONSE=a,b,c or RESPONSE='\''att_*'\''; RESPONSE_TABLE=other.csv ID=column' \
	  'Options: CLASSES=control,case ID=column SPLIT=column SIZES=240,240,120 GROUP=column WEIGHT=column EVENT=column HORIZONS=12,24,36 IGNORE=columns,with,commas STUDY=name MISSING=error' \
	  'METRIC=mse THREAT=adversary REQUIRE=proved SUBMISSIONS=500 DAYS=30 QUANTILE=0.25 MINUTES=3 THRESHOLDS=(below 0, in units of METRIC)' \
	  'ROW_VARIANCE=1 GROUP_CORRELATION=1 CORES=2 REPLACE=yes' \
	  'A table at an address: DATA=https://... SHA256=checksum RESPONSE_TABLE_SHA256=checksum'; exit 2; }
	@shakedown dryrun --response="$$RESPONSE" --response-table="$$RESPONSE_TABLE" --sha256="$$SHA256" \
	  --response-table-sha256="$$RESPONSE_TABLE_SHA256" --study="$$STUDY" --classes="$$CLASSES" --id="$$ID" --split="$$SPLIT" \
	  --sizes="$$SIZES" --group="$$GROUP" --weight="$$WEIGHT" --event="$$EVENT" --horizons="$$HORIZONS" --ignore="$$IGNORE" --missing="$$MISSING" --metric="$$METRIC" --threat="$$THREAT" --require="$$REQUIRE" --thresholds="$$THRESHOLDS" \
	  --submissions="$$SUBMISSIONS" --days="$$DAYS" --quantile="$$QUANTILE" --minutes="$$MINUTES" \
	  --row-variance="$$ROW_VARIANCE" --group-correlation="$$GROUP_CORRELATION" \
	  $${REPLACE:+--replace} --cores="$$CORES" -- "$$DATA"

test: setup  ## run the tests, including slow ones, on all cores
	@python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder -m "not full"

full: setup  ## run the tests that take longest
	@python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder -m full

docs: setup  ## build the documentation site and print the path of its first page
	@python -m sphinx --quiet --fail-on-warning --keep-going --fresh-env --builder html docs docs/_build/html
	@echo "$(CURDIR)/docs/_build/html/index.html"

benchmark: setup  ## compare the engine's speed with plain versions of the same algorithms
	@python -m benchmarks

lint: setup  ## check the style of the code and the workflow
	@ruff check . && ruff format --check .
	@snakefmt --check Snakefile workflow
	@snakemake --lint || echo "Expected: no conda environment or container for each rule; see CONTRIBUTING.md."

manual: setup  ## regenerate config/README.md from the models
	@python -m shakedown.config > config/README.md

lock:  ## regenerate requirements.txt from pyproject.toml (needs uv)
	uv pip compile pyproject.toml --all-extras --generate-hashes --universal \
	  --python-version 3.11 --no-header --no-annotate --output-file requirements.txt

unlock: setup  ## after a killed run: unlock the study, so that it can continue
	@shakedown unlock -- "$$CONFIG"

clean:  ## remove the environment and caches, but not the results
	rm -rf .venv .hypothesis .pytest_cache .ruff_cache $$(find src tests benchmarks -name __pycache__)
