# One word each, the same for people and CI.
PYTHON ?= python3
UV_VERSION = 0.13.9
BIN = .venv/bin
export UV_PYTHON_DOWNLOADS = never

.PHONY: setup lock demo test test-fast test-gpu check validate-tasks up down bench clean

setup: .venv/.ready  ## make .venv and install the locked versions (idempotent)

.venv/.ready: pyproject.toml requirements.lock
	$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install -q "uv>=$(UV_VERSION)"
	$(BIN)/uv pip install -q --python $(BIN)/python --require-hashes -r requirements.lock
	$(BIN)/uv pip install -q --python $(BIN)/python --no-deps -e .
	touch $@

lock:  ## pin newer versions within pyproject.toml's bounds; `dev` brings every extra but `fa4`
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --extra dev --generate-hashes --no-emit-index-url --no-header pyproject.toml -o requirements.lock

ONE_BY_ONE = tests/e2e tests/harness/sandbox tests/harness/test_parallel_sandboxes.py

test: check  ## everything; two at a time, then one by one what fills the machine or measures it. Kafka tests need a broker, Docker tests an engine (CONTRIBUTING.md)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder $(addprefix --ignore ,$(ONE_BY_ONE))
	$(BIN)/python -m pytest $(ONE_BY_ONE)

test-fast: setup  ## what needs no broker, engine or model, and is quick
	$(BIN)/python -m pytest -m "not (kafka or docker or model or slow)"

test-gpu: setup  ## kernels and the mixture decoder on a CUDA device, against their references
	$(BIN)/python -m pytest -m gpu tests/kernels tests/learner

check: setup  ## lint, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

validate-tasks: setup  ## prove every shipped task, five times each, and record it with the tasks' digests
	$(BIN)/trajlog tasks validate --runs 5 --jobs 2 --record

COMPOSE = $(shell docker compose version >/dev/null 2>&1 && echo docker compose || echo docker-compose)

up:  ## the whole stack in containers: Kafka and every role
	$(COMPOSE) up --build

down:  ## stop it; what it wrote stays in its volumes (add `-v` to `docker compose down` to forget it)
	$(COMPOSE) down

demo: setup  ## the whole pass on this machine: model, bugs, groups, two GRPO steps, archive
	$(BIN)/trajlog models fetch smollm2
	$(BIN)/trajlog up demo.toml

bench: setup  ## every benchmark in its short form; each ends with one line of JSON
	for script in benchmarks/*.py benchmarks/learner/*.py; do $(BIN)/python $$script --quick || exit 1; done

clean:  ## forget runs and caches of this checkout (not the fetched model)
	rm -rf runs .pytest_cache .mypy_cache .ruff_cache
