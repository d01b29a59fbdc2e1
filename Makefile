# make demo · make test · make check · make docs · make bench · make paper: each sets up .venv itself, and needs only Python 3.11 and pip.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test check docs figures bench paper clean

demo: $(VENV)/core
	@$(BIN)/python examples/ionosphere.py

# Two processes, each with whole files of tests: fixtures of a file are made once.
test: $(VENV)/test
	$(BIN)/python -m pytest -n 2 --dist loadfile

check: $(VENV)/check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The site, in site/index.html; it needs no network, neither to be built nor to be read.
docs: $(VENV)/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# The same picture is the same file.
figures: DRAW := SOURCE_DATE_EPOCH=0 MATPLOTLIBRC=docs/matplotlibrc $(BIN)/python
figures: $(VENV)/plot
	$(DRAW) examples/what_alpha_does.py docs/path.svg docs/pictures/entry.svg
	$(DRAW) examples/first_selection.py docs/pictures/first_selection.svg
	$(DRAW) examples/pipeline.py docs/pictures/pipeline.svg

bench: $(VENV)/bench
	$(BIN)/python benchmarks/start.py
	$(BIN)/python benchmarks/core.py
	$(BIN)/python benchmarks/counting.py
	$(BIN)/python benchmarks/scaling.py
	$(BIN)/python benchmarks/streaming.py
	$(BIN)/python benchmarks/wide.py --huge
	$(BIN)/python benchmarks/bias.py
	$(BIN)/python benchmarks/fdr.py
	$(BIN)/python benchmarks/baselines.py
	$(BIN)/python benchmarks/annealers.py
	$(BIN)/python benchmarks/vqe.py
	$(BIN)/python benchmarks/soundness.py
	$(BIN)/python benchmarks/proofs.py
	$(BIN)/python benchmarks/certainty.py
	$(BIN)/python benchmarks/solvers.py
	$(BIN)/python benchmarks/choosing.py
	$(BIN)/python benchmarks/downstream.py

# QUICK=--quick takes seconds; the decoder of experiment 3 is made for a GPU, see experiments/README.md.
paper: $(VENV)/experiments
	$(BIN)/python experiments/paper.py $(QUICK)
	$(BIN)/python experiments/figures.py $(if $(QUICK),--results experiments/results/quick --figures experiments/results/quick)

clean:
	rm -rf $(VENV)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# One stamp per extra; a change of pyproject.toml installs anew.
$(VENV)/core: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/test $(VENV)/check $(VENV)/docs $(VENV)/plot $(VENV)/bench $(VENV)/experiments: $(VENV)/%: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[$*]"
	@touch $@
