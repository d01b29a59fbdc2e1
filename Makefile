# make demo · make test · make check · make docs · make bench · make paper: each sets up .venv itself, and needs only Python 3.11 and pip.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test test-lowest test-newest coverage dist check docs figures bench paper clean

demo: $(VENV)/core
	@$(BIN)/python examples/ionosphere.py

# Two processes, each with whole files of tests: fixtures of a file are made once. In their order, small ones come last.
PYTEST := -n 2 --dist loadfile --no-loadscope-reorder
test: $(VENV)/test
	$(BIN)/python -m pytest $(PYTEST)

# All tests on the lowest versions that pyproject.toml names, or on the newest that there are, each in an environment of its own.
# Old versions warn of new ones that others brought: that is not ours to mend.
test-lowest: PYTEST += -W default
test-lowest: RESOLUTION := lowest-direct
test-newest: RESOLUTION := highest
test-lowest test-newest: test-%:
	$(PYTHON) -m venv --clear .venv-$*
	.venv-$*/bin/python -m pip install --quiet uv
	.venv-$*/bin/uv pip install --quiet --python .venv-$* --resolution $(RESOLUTION) --editable ".[all]" --group test
	.venv-$*/bin/python -m pytest $(PYTEST)

# The share of src that the tests run, and a list of the lines that they do not; below 95 % it fails.
coverage: $(VENV)/coverage
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest $(PYTEST)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# Wheel and sdist in dist/, checked, installed into empty environments, and tried there.
dist: $(VENV)/dist
	PYTHON=$(BIN)/python .ci/dist

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
	$(BIN)/python benchmarks/greedy.py
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
	rm -rf $(VENV) .venv-lowest .venv-newest dist

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

# One stamp per group of pyproject.toml, a change of which installs anew.
$(VENV)/core: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/plot: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[plot]"
	@touch $@

# All extras, also for mypy, which follows their imports; not for what looks at the wheel alone.
GROUPS := test coverage check dist docs bench experiments
$(GROUPS:%=$(VENV)/%): $(VENV)/%: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".$(if $(filter dist,$*),,[all])" --group $*
	@touch $@
