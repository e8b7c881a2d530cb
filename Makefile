# Every command of the project; `make` lists them.
VENV := .venv
BIN  := $(VENV)/bin
PROTOS := $(wildcard protos/gouji/v1/*.proto)

help:            ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

$(VENV)/installed: requirements.lock pyproject.toml hatch_build.py $(wildcard engine/gouji/*/*.p[yx]*)
	test -x $(BIN)/python || python3.11 -m venv $(VENV)
	$(BIN)/pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --no-build-isolation --no-deps -e .
	touch $@

install: $(VENV)/installed   ## make .venv with the locked dependencies and compile the engine

up: install      ## install and run everything in one process on SQLite
	$(BIN)/gouji up

test: install    ## run all tests, and the short form of those that kill real processes
	$(BIN)/pytest -n auto --dist worksteal -m "not faults"
	$(BIN)/pytest -m faults

faults: install  ## kill, stop and restart servers and database for long: an hour
	GOUJI_FAULTS=long $(BIN)/pytest -m faults -s

leaks: install   ## swap hidden cards at length: no seat may see a difference
	$(BIN)/python -m tests.engine.leaks 1000
	nice $(BIN)/python -m tests.table.swaps 1000

matches: install ## 1,000 random matches of every preset, checked by the tests' own telling of the rules
	nice $(BIN)/python -m tests.engine.matches

lint: install    ## ruff, mypy, buf
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/buf lint protos

protos: install  ## make the generated code anew
	rm -rf protos/gen/gouji && mkdir -p protos/gen/gouji/v1 && touch protos/gen/gouji/v1/py.typed
	PATH=$(BIN):$$PATH $(BIN)/python -m grpc_tools.protoc -Iprotos --python_out=protos/gen --grpc_python_out=protos/gen \
	  --mypy_out=quiet:protos/gen --mypy_grpc_out=quiet:protos/gen $(PROTOS)
	touch protos/gen/gouji/v1/__init__.py

fresh: protos    ## fail if the generated code is not what the protos say
	git diff --exit-code -- protos/gen
	test -z "$$(git status --porcelain -- protos/gen)"

lock: install    ## make the lock file anew
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-header --quiet --upgrade -o requirements.lock

bench: install   ## measure the engine beside its peers, and the start of `gouji up`
	$(BIN)/pip install --quiet -r benchmarks/requirements.txt
	$(BIN)/python benchmarks/engine.py
	$(BIN)/python benchmarks/up.py

loadtest/watchers: loadtest/watchers.cpp
	g++ -O2 -std=c++17 -Wall -Wextra -o $@ $< $$(pkg-config --cflags --libs grpc++)

watchers: loadtest/watchers   ## build the load generator (needs libgrpc++-dev)

load: install watchers   ## put one table server under load: 100, 1,000 and 4,000 tables
	for tables in 100 1000 4000; do for database in sqlite postgresql; do \
	  $(BIN)/python loadtest/tables.py pace --tables $$tables --database-url $$database || failed=1; done; done; \
	for database in sqlite postgresql; do $(BIN)/python loadtest/tables.py bots --database-url $$database || failed=1; \
	  done; test -z "$$failed"

clean:           ## remove all that was built
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis engine/gouji/*/*.so loadtest/watchers

.PHONY: help install up test faults leaks matches lint protos fresh lock bench watchers load clean
