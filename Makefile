# make demo   set up, then decode with the bundled model in the terminal
# make test   set up, then run the tests on all cores, with coverage
# make lint   ruff and the type checker
# make bench  speed and memory as ratios, printed and written to benchmarks/results.json

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
READY := .venv/ready

.PHONY: demo test lint bench clean

demo: $(READY)
	$(BIN)/python -m axon.cli.demo

test: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal --cov

lint: $(READY)
	$(BIN)/ruff check src tests benchmarks docs
	$(BIN)/ruff format --check src tests benchmarks docs
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv

# torch goes in alone and first, so that nothing else asks for a newer one. This package goes in once more at the end,
# because its command lm_eval must come after lm-eval's own.
$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt torch
	$(BIN)/pip install -q --disable-pip-version-check -c constraints.txt -e '.[dev]'
	$(BIN)/pip install -q --disable-pip-version-check --no-deps -e .
	touch $(READY)
