# `make` without a target lists the targets. The scripts in scripts/ do the work.

# DATA is where `make run` keeps rooms. ARGS are further arguments for a program: make run ARGS="…"
DATA ?= .data
ARGS ?=

RELEASE := swift build -c release --product SyncServer

# The commit for the output of --version, if this is a clone.
run client chaos bench screenshots: export CANVAS_COMMIT := $(if $(wildcard .git),$(shell git describe --always --abbrev=12 --exclude '*' --dirty 2>/dev/null))

.PHONY: help setup run client test chaos mutants bench table page screenshots format folders soak simulate coverage packages
.DEFAULT_GOAL := help

help:
	@echo 'CanvasSync, a server for shared canvases'
	@echo
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F '|' '{ printf "%-19s %s\n", $$1, $$2 }'
	@echo
	@echo '  DATA=folder      where make run keeps rooms (.data)'
	@echo '  ARGS="..."       further arguments for the server, the benchmark, chaos'
	@echo '  VERBOSE=1        make test and make soak show all output as it comes'

run: page ## build and start the server; install what is missing
	@$(RELEASE)
	@exec "$$($(RELEASE) --show-bin-path)/SyncServer" --data "$(DATA)" $(ARGS)

client: setup ## build sync-client, the terminal client, and print its path
	@swift build -c release --product sync-client
	@echo "$$(swift build -c release --product sync-client --show-bin-path)/sync-client"

test: ## everything that must pass before a change is accepted
	@scripts/test

chaos: client ## two minutes of faults for the real server and fifty clients; ARGS="--seconds 600"
	@scripts/setup test
	@$(RELEASE)
	@.venv/bin/python Tests/Chaos/run.py --build "$$($(RELEASE) --show-bin-path)" $(ARGS)

mutants: ## plant small bugs one at a time: which does no test notice? ARGS="17 204" for some
	@scripts/setup test
	@scripts/with-postgres .venv/bin/python Tests/mutants/run.py $(ARGS)

bench: page ## measure, and compare with yrs, loro and pycrdt-websocket
	@scripts/setup bench
	@scripts/setup test
	@.venv/bin/python Benchmarks/run.py $(ARGS)
	@.venv/bin/python Benchmarks/server.py $(filter --quick,$(ARGS))
	@.venv/bin/python Benchmarks/rooms.py "$$($(RELEASE) --show-bin-path)/SyncServer" $(filter --quick,$(ARGS))
	@.venv/bin/python Benchmarks/attacks.py $(filter --quick,$(ARGS))
	@.venv/bin/python Benchmarks/visit.py
	@.venv/bin/python Benchmarks/lines.py $(filter --quick,$(ARGS))
	@STANDBYS=2 scripts/with-postgres .venv/bin/python Benchmarks/nodes.py $(filter --quick,$(ARGS)) \
	  --server "$$($(RELEASE) --show-bin-path)/SyncServer"

table: ## write what the table of properties says: web/core/table.ts, tables in docs/PROTOCOL.md
	@swift run --quiet property-table

page: setup ## build what a browser is sent, in build/page: the core as WebAssembly, scripts and styles
	@scripts/wasm
	@scripts/page

simulate: ## one history of the simulation as a story: make simulate SEED=17
	@scripts/simulate "$(SEED)" "$(RULE)"

screenshots: page ## take the pictures in docs/images; ARGS=--every for all states, to look at them
	@scripts/screenshots $(ARGS)

format: ## format every Swift file
	@scripts/format

folders: ## show which folder uses which; ARGS=SyncServer for one part
	@scripts/folders --graph $(ARGS)

soak: ## the long tests: sanitizers, simulations, attacks, fuzzing, an hour of use
	@scripts/soak $(ARGS)

packages: ## a release in build/release: Debian packages, a container image, archives
	@scripts/setup packages
	@scripts/release

coverage: ## how much of each part the tests run; ARGS=CanvasCRDT for its files
	@scripts/coverage $(ARGS)

setup: ## install what building and running need on a fresh Debian 12 with Swift
	@scripts/setup
