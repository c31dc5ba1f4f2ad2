# The two commands of the README are `make demo` and `make test`; both set up everything they need.
PY ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
CORE := .venv/.core
BENCH := .venv/.bench

.PHONY: setup demo test test-all lint reproduce reproduced bench bench-full docs clean

setup: $(STAMP)

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PY) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	touch $(STAMP) $(CORE)

# the demo needs the package alone: a fraction of the download
$(CORE): pyproject.toml
	test -x $(BIN)/python || $(PY) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e .
	touch $(CORE)

demo: $(CORE)
	$(BIN)/tacit demo

test: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile

test-all: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile -m ''

lint: $(STAMP)
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# every published table, in the version that CI runs
reproduce: $(STAMP)
	$(BIN)/tacit reproduce all --quick

# every value of the full run (resumable, about an hour on two cores) as a page of the docs
reproduced: $(STAMP)
	-$(BIN)/tacit reproduce all
	mkdir -p docs/img/reproduced && cp reproduce-output/*.svg docs/img/reproduced/
	sed -E 's#\]\(([^)]*[.]svg)\)#](img/reproduced/\1)#' reproduce-output/summary.md > docs/reproduced.md

# peers that live with us; the others get environments of their own (bench/venvs.py)
$(BENCH): $(STAMP)
	$(BIN)/python -m pip install --quiet -e '.[bench]'
	touch $(BENCH)

bench: $(BENCH)
	$(BIN)/python -m bench

bench-full: $(BENCH)
	$(BIN)/python -m bench --full

docs: $(STAMP)
	$(BIN)/mkdocs build --strict

clean:
	rm -rf .venv build dist site demo-output
