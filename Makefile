# `make help` lists the targets; each target's comment is its help.
PYTHON ?= python3
VENV ?= .venv
BENCH_VENV ?= .venv-bench
NIXTLA_VENV := .venv-nixtla
BIN := $(VENV)/bin
EXAMPLE := $(CURDIR)/docs/examples/airline-passengers.json
DEMO_KEY := instance/demo-key
PORT ?= 8000
BIND ?= 127.0.0.1:$(PORT)
PIP_INSTALL := $(BIN)/pip install --quiet --no-compile --require-hashes --requirement
PYTEST := $(BIN)/python -m pytest
# Hundreds of processes are started: each would compile all of the service again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run install test-packages test soak audit release-check deb machine-test container-test examples check lint bench-accuracy bench-life bench-short bench-surprises bench-limits bench-anomalies calibrate bench-speed bench-capacity bench-monitors bench-webhooks bench-sources bench-faults bench-worst bench-client nixtla-tests endpoints members formats proof client-records settings plots screenshots pin clean
.DEFAULT_GOAL := help

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/installed: requirements.txt
	@echo 'Installing into $(VENV); the first time this takes a minute, longer on a busy machine.'
	$(PYTHON) -m venv $(VENV)
	$(PIP_INSTALL) requirements.txt
	@deploy/trim.sh --keep-tools $(VENV)
	@touch $@

# As pip would install it, but for this checkout, and without building a package.
$(BIN)/forecast-service: $(VENV)/installed
	@printf '#!%s -P\nimport sys\n\nsys.path.insert(0, "%s")\nfrom app.ops.cli.__main__ import main\n\nif __name__ == "__main__":\n    main()\n' '$(abspath $(BIN))/python' '$(CURDIR)' > $@
	@chmod +x $@

$(VENV)/installed-dev: requirements-dev.txt $(VENV)/installed
	$(PIP_INSTALL) requirements-dev.txt
	@touch $@

install: $(BIN)/forecast-service ## Create the virtual environment with the service's libraries and its command

run: install ## Install, migrate, create a demo key and serve on 127.0.0.1:8000; PORT=8001 or BIND=HOST:PORT for another address
	@mkdir -p -m 700 instance
	@$(BIN)/flask db upgrade
	@test -s $(DEMO_KEY) && $(BIN)/flask keys list | grep -q "$$(cut -c1-11 $(DEMO_KEY)) .* active " || (umask 077 && $(BIN)/flask keys create --permissions read,write --label demo --quiet > $(DEMO_KEY))
	@BIND='$(BIND)' exec $(BIN)/python deploy/demo.py $(DEMO_KEY) "$(EXAMPLE)"

# Nixtla's SDK wants an older pandas than the service.
$(NIXTLA_VENV)/installed: requirements-nixtla.txt
	$(PYTHON) -m venv $(NIXTLA_VENV)
	$(NIXTLA_VENV)/bin/pip install --quiet --no-compile --require-hashes --requirement requirements-nixtla.txt
	@deploy/trim.sh --keep-tools $(NIXTLA_VENV)
	@touch $@

test-packages:
	@tests/setup.sh

test: export SKIPPED_TESTS := $(CURDIR)/.pytest_cache/skipped-tests
test: test-packages $(VENV)/installed-dev $(NIXTLA_VENV)/installed ## Install what the tests want, by apt and pip, and run them all (docs/developing/tests.md)
	@mkdir -p .pytest_cache && rm -f $(SKIPPED_TESTS)
# Engines yield to processes of a lower niceness than theirs: other tests would starve them.
	nice -n 10 $(PYTEST) -n 4 --dist loadfile --no-loadscope-reorder -m 'not soak and not timing'
	nice -n 10 $(PYTEST) -n 2 --dist loadfile -m 'timing and not alone' $$(grep -rlw timing tests --include='test_*.py')
	$(PYTEST) -m alone $$(grep -rl mark.alone tests --include='test_*.py')

soak: $(VENV)/installed-dev ## Send mixed traffic for 5 minutes (SOAK_SECONDS) and look for 500s and leaks; then thousands of generated requests, hundreds of made files, more examples of every property
	$(PYTEST) -m soak -s tests/soak tests/integration tests/tables tests/forecasting tests/api
	$(PYTEST) -m hypothesis --hypothesis-profile thorough

audit: $(VENV)/installed ## Check the pinned libraries for known vulnerabilities (queries the Python packaging advisory database)
	$(PYTHON) -m venv .audit
	.audit/bin/pip install --quiet pip-audit
	.audit/bin/pip-audit --requirement requirements.txt --no-deps --disable-pip --strict --progress-spinner off
	rm -rf .audit

release-check: $(VENV)/installed-dev ## Build the sdist and the wheels, serve from them in an empty environment, list what a release still needs
	$(BIN)/python deploy/release_check.py

deb: ## Build the Debian package for this release of Debian or Ubuntu into dist/ (a minute)
	deploy/deb/build.sh dist

machine-test: $(VENV)/installed-dev ## Install, upgrade and remove the package on a machine with systemd (root); DISTRIBUTION=trixie; CASE=nodes: a second node; CASE=fresh: make run and make test on a bare machine; CASE=PATH: from the package of an earlier release
	$(BIN)/python -m tests.machine $(or $(DISTRIBUTION),bookworm) $(CASE)

container-test: $(VENV)/installed-dev ## Build the image, run it as on a server and measure it (2 minutes; root)
	$(BIN)/python -m tests.container

examples: $(VENV)/installed-dev ## Record the responses to the requests in app/api/examples and app/api/dialects, for the documentation
	RECORD_EXAMPLES=1 $(BIN)/python -m pytest tests/api/test_examples.py tests/api/test_success_examples.py \
		tests/api/dialects/test_examples.py $(wildcard tests/api/dialects/*/test_responses.py tests/api/dialects/*/edge) \
		tests/edge/test_errors.py tests/edge/test_outages.py

lint: $(VENV)/installed-dev ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@command -v tsc >/dev/null || { echo "tsc is missing: install TypeScript (Debian: apt-get install node-typescript)"; exit 1; }
	tsc --project jsconfig.json

check: lint ## Check style, types, and that the migrations match the models
	@rm -rf instance/check && mkdir -p -m 700 instance && mkdir instance/check
	DATABASE_URL=sqlite:///check/check.db $(BIN)/flask db upgrade
	DATABASE_URL=sqlite:///check/check.db $(BIN)/flask db check

# The other libraries have conflicting requirements, so they get their own environment.
$(BENCH_VENV)/installed: pyproject.toml
	@echo 'Installing the service and the libraries it is compared with into $(BENCH_VENV).'
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/pip install --quiet '.[bench]'
	@touch $@

bench-accuracy: $(BENCH_VENV)/installed ## Score every model on the included series; QUICK=1 for a tenth
	$(BENCH_VENV)/bin/python -m benchmarks.accuracy $(if $(QUICK),--quick) $(if $(SAVE),--save $(SAVE))

bench-life: $(BENCH_VENV)/installed ## Score every model on real-world windows, which are not included: DATA=windows.jsonl.gz; QUICK=1 for a third
	$(BENCH_VENV)/bin/python -m benchmarks.everyday_series $(DATA) $(if $(QUICK),--quick) $(if $(MODELS),--models $(MODELS))

bench-short: $(BENCH_VENV)/installed ## Score a model on series cut to 10 to 50 points: DATA=windows.jsonl.gz for more of them, MODEL=2, EARLIER=4 to end them 4 points before, QUICK=1 for a fifth
	$(BENCH_VENV)/bin/python -m benchmarks.short_series $(DATA) $(if $(QUICK),--quick) $(if $(MODEL),--model $(MODEL)) $(if $(EARLIER),--earlier $(EARLIER))

bench-surprises: $(BENCH_VENV)/installed ## Score every model on made surprises, beside AutoETS, Theta and MSTL; QUICK=1 for a quarter, PART=holidays, moves, coverage or levels
	$(BENCH_VENV)/bin/python -m benchmarks.surprises $(if $(QUICK),--quick) $(if $(PART),--part $(PART))

bench-limits: $(BENCH_VENV)/installed ## Replay limits on disks, queues, quotas, pools and certificates, beside predict_linear; QUICK=1 for a fifth, NAB=nab.json.gz
	$(BENCH_VENV)/bin/python -m benchmarks.limits $(if $(QUICK),--quick) $(if $(NAB),--data $(NAB))

bench-anomalies: $(BENCH_VENV)/installed ## Compare anomaly detection with other libraries (eight minutes on two idle cores); QUICK=1 for a short run, NAB=nab.json.gz, DRAW=1
	$(BENCH_VENV)/bin/python -m benchmarks.anomalies $(if $(NAB),--nab $(NAB)) $(if $(QUICK),--quick) $(if $(DRAW),--draw)

calibrate: $(VENV)/installed ## Recalibrate the prediction intervals (about twelve minutes on two cores); WRITE=1 replaces the included calibration
	$(BIN)/python -m benchmarks.calibrate $(if $(WRITE),--write)

bench-speed: $(BENCH_VENV)/installed $(VENV)/installed-dev ## Time the models against other libraries, for growing series and over HTTP
	$(BENCH_VENV)/bin/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.speed --http

bench-capacity: $(VENV)/installed-dev ## Measure forecasts per second and memory of one node, by model and length
	$(BIN)/python -m benchmarks.capacity

bench-monitors: $(VENV)/installed-dev ## Compare appends to monitors with /verify on a full database, SQLite and PostgreSQL; QUICK=1 for a small one, DATABASE=URL for another
	$(BIN)/python -m benchmarks.monitors $(if $(QUICK),--quick) $(if $(DATABASE),--database $(DATABASE))

bench-webhooks: $(VENV)/installed-dev ## Send webhooks beside hundreds of hosts that do not respond, and thousands to one receiver, SQLite and PostgreSQL; QUICK=1 for fewer
	$(BIN)/python -m benchmarks.webhooks $(if $(QUICK),--quick)

bench-sources: $(VENV)/installed-dev bench-faults ## Watch 500 series of a real Prometheus for ten minutes: share, memory, lag, kills, faults; QUICK=1: 30 series, a minute
	$(BIN)/python -m benchmarks.sources $(if $(QUICK),--series 30 --minutes 1)

bench-faults: $(VENV)/installed-dev ## Put 34 faults into a made shop of 60 series that a real Prometheus has, and count alerts on calm days, and write the tables in docs/developing/anomaly-figures.md (ten minutes); QUICK=1: without Prometheus and tables
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.faults $(if $(QUICK),--direct,--write)

nixtla-tests: $(VENV)/installed-dev $(NIXTLA_VENV)/installed ## Run Nixtla's own tests of its SDK against a live service (ten minutes); SOURCE=repository or path, DATA=folder of their data sets
	$(BIN)/python -m benchmarks.nixtla_tests $(if $(SOURCE),--source $(SOURCE)) $(if $(DATA),--data $(DATA))

bench-worst: $(VENV)/installed-dev ## Measure the worst request of every endpoint, and write the table in docs/running/security.md (ten minutes); ONLY=part of a name, its rows
	$(BIN)/python -m benchmarks.worst_requests --write $(if $(ONLY),--only '$(ONLY)')

bench-client: $(VENV)/installed-dev ## A thousand series through the Python client, as a share of a bare load generator; MODEL=1
	$(BIN)/python clients/python/benchmarks/many_series.py $(if $(MODEL),--model $(MODEL))

endpoints: $(VENV)/installed ## List the endpoints and their permissions in docs/using/endpoints.md
	$(BIN)/python docs/list_endpoints.py

members: $(VENV)/installed ## List the members of each model in docs/developing/members.md
	$(BIN)/python docs/list_members.py

formats: $(VENV)/installed ## List the formats of webhooks in docs/using/webhooks.md
	$(BIN)/python docs/list_formats.py

proof: $(VENV)/installed ## List the promises, their tests and latest figures in docs/proof.md
	$(BIN)/python docs/list_promises.py

client-records: $(VENV)/installed ## Write the records of the Python client from the OpenAPI document
	$(BIN)/python clients/generate_records.py

settings: $(VENV)/installed ## List the settings in docs/running/settings.md
	$(BIN)/python docs/list_settings.py

plots: $(VENV)/installed ## Redraw the README's plot
	$(BIN)/python docs/plot_forecast.py

screenshots: $(VENV)/installed-dev ## Retake the screenshots of the README and the documents; needs Chromium
	$(BIN)/python docs/take_screenshots.py

# One lock file for all platforms and Python versions, with the versions that were tested.
PIN := .pin/bin/uv pip compile --quiet --universal --fork-strategy fewest --generate-hashes --no-annotate --custom-compile-command 'make pin' $(if $(UPGRADE),--upgrade)
pin: ## Pin the dependencies in pyproject.toml with hashes; valid pins are kept, UPGRADE=1 takes the newest versions
	$(PYTHON) -m venv .pin
	.pin/bin/pip install --quiet uv
	$(PIN) --extra postgres --extra redis --output-file requirements.txt pyproject.toml > /dev/null
	$(PIN) --group dev --constraints requirements.txt --output-file requirements-dev.txt > /dev/null
	$(PIN) --group nixtla --output-file requirements-nixtla.txt > /dev/null
	rm -rf .pin

clean: ## Remove the virtual environments and caches; databases under instance/ are kept
	rm -rf $(VENV) $(BENCH_VENV) $(NIXTLA_VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
