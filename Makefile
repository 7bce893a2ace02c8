# The commands of this repository. `make` alone lists them.

PYTHON ?= python3
PORT ?= 8000
MINUTES ?= 1
VENV := .venv
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
RUN := $(BIN)/python
STAMP := $(VENV)/installed.txt
export NO_MKDOCS_2_WARNING := 1
# Where this is set, Python would compile all of torch anew for each process that imports it.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help venv serve test fuzz wild site offline update draw bench clean

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' Makefile

serve: venv ## build the site in both languages, serve it, and show each change as you save it (PORT=8000)
	@$(RUN) -m literate serve --port $(PORT)

test: venv ## run everything that CI runs
	@$(RUN) tests/everything.py

fuzz: venv ## run random programs on both Modules and compare each step (MINUTES=1)
	@$(RUN) tests/fuzz.py --minutes $(MINUTES)

wild: venv ## run other people's code on both Modules, in an environment of its own, and write down what differs
	@$(RUN) tests/wild.py --record

site: venv ## build the site, English and Chinese, into site/
	@$(RUN) -m literate site
	@echo "The site is in site/."

offline: venv ## build the site also as a zip, to be read without a server: open index.html, search works
	@$(RUN) -m literate site --offline build/nn-module-from-scratch
	@echo "The zip is build/nn-module-from-scratch.zip."

update: venv ## run the snippets, and write what they print to the pages, snippets/ and the record
	@$(RUN) -m literate update
	@$(RUN) -m literate run --record

draw: venv ## draw the pictures again, in both languages
	@$(RUN) -m literate draw

bench: venv ## time the operations of both Modules, in turn
	@$(RUN) -m literate bench

# Python compiles what is imported; all of what is installed would take pip most of a minute. The pip that comes with
# Python 3.11 takes twice as long as a new one.
venv: ## only install what the other commands need, into .venv
	@if ! cat requirements.lock pyproject.toml 2>/dev/null | cmp -s - $(STAMP); then \
		$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
			echo "make: Python 3.11 or newer is needed, and $(PYTHON) is $$($(PYTHON) --version 2>&1)." >&2; \
			echo "Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }; \
		echo "Installing into $(VENV) (some minutes at the first time) ..."; \
		$(PYTHON) -m venv $(VENV) && \
		$(RUN) -m pip install --quiet --disable-pip-version-check --upgrade pip && \
		$(RUN) -m pip install --quiet --disable-pip-version-check --no-compile -r requirements.lock && \
		$(RUN) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e . && \
		cat requirements.lock pyproject.toml > $(STAMP); \
	fi

clean: ## delete what the other commands have built (.venv stays)
	@rm -rf site build .cache .mypy_cache .pytest_cache .ruff_cache *.egg-info
	@find scratch literate tests -name __pycache__ -type d -exec rm -rf {} +
