# `make help` lists what there is; each target's comment is its help.
PYTHON ?= python3
VENV ?= .venv
BENCH_VENV ?= .venv-bench
BIN := $(VENV)/bin
EXAMPLE := $(CURDIR)/docs/examples/airline-passengers.json
DEMO_KEY := instance/demo-key
PORT ?= 8000
BIND ?= 127.0.0.1:$(PORT)
PIP_INSTALL := $(BIN)/pip install --quiet --require-hashes --requirement
PYTEST := $(BIN)/python -m pytest

.PHONY: help run install test soak audit examples check lint bench-accuracy bench-life bench-ten bench-anomalies calibrate bench-speed bench-overhead bench-capacity bench-monitors bench-dashboard plots screenshots pin clean
.DEFAULT_GOAL := help

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/installed: requirements.txt
	@echo 'Installing into $(VENV); the first time this takes a minute, on a busy machine some minutes.'
	$(PYTHON) -m venv $(VENV)
	$(PIP_INSTALL) requirements.txt
	@touch $@

$(VENV)/installed-dev: requirements-dev.txt $(VENV)/installed
	$(PIP_INSTALL) requirements-dev.txt
	@touch $@

install: $(VENV)/installed ## Make the virtual environment and install the service's libraries

run: install ## Install, migrate, mint a demo key and serve on 127.0.0.1:8000; PORT=8001 or BIND=HOST:PORT elsewhere
	@mkdir -p -m 700 instance
	@$(BIN)/flask db upgrade
	@test -s $(DEMO_KEY) && $(BIN)/flask keys list | grep -q "$$(cut -c1-11 $(DEMO_KEY)) .* active " || (umask 077 && $(BIN)/flask keys create --permissions read,write --label demo --quiet > $(DEMO_KEY))
	@BIND='$(BIND)' exec $(BIN)/python deploy/demo.py $(DEMO_KEY) "$(EXAMPLE)"

test: $(VENV)/installed-dev ## Install what the tests need and run them all, three at once, those that judge time last, two at once (some minutes)
	$(PYTEST) -n 3 --dist loadfile --no-loadscope-reorder -m 'not soak and not timing'
	$(PYTEST) -n 2 --dist loadfile -m timing $$(grep -rlw timing tests --include='test_*.py')

soak: $(VENV)/installed-dev ## Send mixed traffic for 5 minutes (SOAK_SECONDS), look for 500s and leaks; then thousands of requests, generated and counted
	$(PYTEST) -m soak -s tests/soak tests/integration

audit: $(VENV)/installed ## Look for known vulnerabilities of the pinned libraries (asks the advisory database of Python packages)
	$(PYTHON) -m venv .audit
	.audit/bin/pip install --quiet pip-audit
	.audit/bin/pip-audit --requirement requirements.txt --no-deps --disable-pip --strict --progress-spinner off
	rm -rf .audit

examples: $(VENV)/installed-dev ## Record what the requests of app/api/examples get, for the documents
	RECORD_EXAMPLES=1 $(BIN)/python -m pytest tests/api/test_examples.py tests/edge/test_errors.py tests/edge/test_outages.py

lint: $(VENV)/installed-dev ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

check: lint ## Check style, types and that the migrations match the models
	@rm -rf instance/check && mkdir -p -m 700 instance && mkdir instance/check
	DATABASE_URL=sqlite:///check/check.db $(BIN)/flask db upgrade
	DATABASE_URL=sqlite:///check/check.db $(BIN)/flask db check

# Rivals have other wishes than the service, so they live in an environment of their own.
$(BENCH_VENV)/installed: pyproject.toml
	@echo 'Installing the service and its rivals into $(BENCH_VENV).'
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/pip install --quiet '.[bench]'
	@touch $@

bench-accuracy: $(BENCH_VENV)/installed ## Score every model on the shipped series; QUICK=1 for a tenth
	$(BENCH_VENV)/bin/python -m benchmarks.accuracy $(if $(QUICK),--quick) $(if $(SAVE),--save $(SAVE))

bench-life: $(BENCH_VENV)/installed ## Score every model on windows of working life, which do not ship: DATA=windows.jsonl.gz; QUICK=1 for a third
	$(BENCH_VENV)/bin/python -m benchmarks.life $(DATA) $(if $(QUICK),--quick) $(if $(MODELS),--models $(MODELS))

bench-ten: $(BENCH_VENV)/installed ## Score model 1 beside Prophet, MSTL and AutoETS on ten of those windows: DATA=windows.jsonl.gz
	$(BENCH_VENV)/bin/python -m benchmarks.ten_series $(DATA) $(if $(DRAW),--draw)

bench-anomalies: $(BENCH_VENV)/installed ## Measure anomaly detection beside its rivals (eight minutes of two idle cores); QUICK=1 for a look, NAB=nab.json.gz, DRAW=1
	$(BENCH_VENV)/bin/python -m benchmarks.anomalies $(if $(NAB),--nab $(NAB)) $(if $(QUICK),--quick) $(if $(DRAW),--draw)

calibrate: $(BENCH_VENV)/installed ## Learn the intervals' numbers again (about ten minutes of two cores); WRITE=1 replaces the shipped ones
	$(BENCH_VENV)/bin/python -m benchmarks.calibrate $(if $(WRITE),--write)

bench-speed: $(BENCH_VENV)/installed ## Time the models against other libraries and over growing series
	$(BENCH_VENV)/bin/python -m benchmarks.speed

bench-overhead: $(VENV)/installed-dev ## Requests a second around the engine, against a bare view; needs wrk
	$(BIN)/python -m benchmarks.overhead

bench-capacity: $(VENV)/installed-dev ## Forecasts a second and memory of one node, by model and length
	$(BIN)/python -m benchmarks.capacity

bench-monitors: $(VENV)/installed-dev ## Appends to monitors beside /verify with a full database, SQLite and PostgreSQL; QUICK=1 for a small one, DATABASE=URL for another
	$(BIN)/python -m benchmarks.monitors $(if $(QUICK),--quick) $(if $(DATABASE),--database $(DATABASE))

bench-dashboard: $(VENV)/installed-dev ## Fill a database as a large account's and time what pages read of it; DATABASE=URL or a path
	$(BIN)/python -m benchmarks.dashboard $(or $(DATABASE),instance/dashboard.db)

plots: $(VENV)/installed ## Draw the README's picture anew
	$(BIN)/python docs/plot_forecast.py

screenshots: $(VENV)/installed-dev ## Take the README's screenshots of the pages anew; needs Chromium
	$(BIN)/python docs/take_screenshots.py

# For all platforms at once, and one version of a library whatever the Python: what was tested.
PIN := .pin/bin/uv pip compile --quiet --universal --fork-strategy fewest --generate-hashes --no-annotate --custom-compile-command 'make pin' $(if $(UPGRADE),--upgrade)
pin: ## Pin what pyproject.toml admits, with hashes; pins that still fit stay, UPGRADE=1 takes the newest
	$(PYTHON) -m venv .pin
	.pin/bin/pip install --quiet uv
	$(PIN) --extra postgres --extra redis --output-file requirements.txt pyproject.toml > /dev/null
	$(PIN) --group dev --constraints requirements.txt --output-file requirements-dev.txt > /dev/null
	rm -rf .pin

clean: ## Remove the virtual environment and caches; databases under instance/ stay
	rm -rf $(VENV) $(BENCH_VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
