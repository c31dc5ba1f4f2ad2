# The two commands of the README are `make demo` and `make test`; both set up everything they need.
PY ?= python3
BIN := .venv/bin
CORE := .venv/.core
TEST := .venv/.test
STAMP := .venv/.installed
BENCH := .venv/.bench

# where this is set, every process of a test would compile the source of every package it imports again
unexport PYTHONDONTWRITEBYTECODE

# uv takes half of pip's time; where it cannot be had or finds less than pip does, pip installs
install = $(BIN)/python -m pip install --quiet uv && $(BIN)/uv pip install --quiet --python $(BIN)/python $(1) \
	|| $(BIN)/python -m pip install --quiet $(1)

.PHONY: setup browser demo test test-all test-random mutants fuzz kills lint reproduce reproduced bench bench-full docs wheel clean

setup: $(STAMP)

$(BIN)/python:
	$(PY) -m venv .venv

# everything: the tools of lint, docs and peers that live with us
$(STAMP): pyproject.toml | $(BIN)/python
	$(call install,-e '.[dev]')
	touch $(CORE) $(TEST) $(STAMP)

# what `make test` needs, which is half of it
$(TEST): pyproject.toml | $(BIN)/python
	$(call install,-e '.[test]')
	touch $(CORE) $(TEST)

# The demo needs the package alone: a fraction of the download. Bytecode is made here, as pip makes it: where
# PYTHONDONTWRITEBYTECODE is set, every command would otherwise compile 300 files of source again (half a CPU second)
$(CORE): pyproject.toml | $(BIN)/python
	$(call install,-e .)
	$(BIN)/python -m compileall -q src .venv/lib
	touch $(CORE)

demo: $(CORE)
	$(BIN)/tacit demo

# for the tests of the page, where the system has no chromium; without network those tests skip
browser: $(TEST)
	-@$(BIN)/python tests/browser.py

# two workers on two cores: a second thread of linear algebra in each would wait in a loop, and its waiting is CPU time
test test-all test-random: export OPENBLAS_NUM_THREADS = 1

# every promise once, at the smallest size that shows it
test: $(TEST) browser
	$(BIN)/python -m pytest -n 2 --dist loadfile

# all combinations, long statistics, clusters, every page of the browser
test-all: $(STAMP) browser
	$(BIN)/python -m pytest -n 2 --dist loadfile -m ''

# the same in another order: files among each other, and tests inside a file (module fixtures are kept)
SEED ?= 1
test-random: $(STAMP) browser
	$(BIN)/python -m pytest -n 2 --dist loadfile --random-order-bucket=module --random-order-seed=$(SEED)

lint: $(STAMP)
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python tools/forbidden.py
	$(BIN)/python tools/style.py

# small changes of meaning that the tests must notice: all rooms, ROOM="risk loss", or those that changed SINCE=main
mutants: $(STAMP)
	$(BIN)/python -m tools.mutants $(ROOM) $(if $(SINCE),--since $(SINCE)) $(if $(JSON),--json $(JSON))

# generated bad and odd input to every command and format (about half an hour); CASES=500 for fewer
CASES ?= 20000
fuzz: $(STAMP)
	$(BIN)/python -m tools.fuzz $(CASES) && $(BIN)/python -m tools.fuzz $(CASES) --files
	$(BIN)/python -m tools.fuzz $(CASES) --api && $(BIN)/python -m tools.fuzz $(CASES) --kept

# kill -9 at random moments, full disks, closed folders, two processes at once
kills: $(STAMP)
	$(BIN)/python -m tools.kills

# every published table, in the version that CI runs
reproduce: $(STAMP)
	$(BIN)/tacit reproduce all --quick

# the full run (resumable, under 45 minutes on two cores) as a section of the docs, one page per paper
reproduced: $(STAMP)
	-$(BIN)/tacit reproduce all
	rm -f docs/reference/reproduced/*
	cp reproduce-output/*.md reproduce-output/*.svg docs/reference/reproduced/

# peers that live with us; the others get environments of their own (bench/venvs.py)
$(BENCH): $(STAMP)
	$(call install,-e '.[bench]')
	touch $(BENCH)

bench: $(BENCH)
	$(BIN)/python -m bench

bench-full: $(BENCH)
	$(BIN)/python -m bench --full

docs: $(STAMP)
	$(BIN)/mkdocs build --strict

# the wheel, and the commands of a first minute in clean environments of every Python that is here
PYTHONS ?= $(shell for v in 11 12 13 14 15; do python3.$$v -c 'import sys; print(sys.executable)' 2>/dev/null; ls -d $(HOME)/.pyenv/versions/3.$$v.*/bin/python 2>/dev/null; done)
wheel: $(STAMP)
	$(call install,build uv)
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python tools/smoke.py dist/*.whl $(foreach p,$(PYTHONS),--python $(p))

clean:
	rm -rf .venv build dist site demo-output
