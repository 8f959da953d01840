# `make` alone explains what there is. The work is in scripts/; this is its table of contents.

# What `make run` stores, and what else is handed to the server or the benchmark: make run ARGS="…"
DATA ?= .data
ARGS ?=

RELEASE := swift build -c release --product SyncServer

.PHONY: help setup run client test bench wasm screenshots format folders soak
.DEFAULT_GOAL := help

help:
	@echo 'CanvasSync, a server for shared canvases'
	@echo
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F '|' '{ printf "%-19s %s\n", $$1, $$2 }'
	@echo
	@echo '  DATA=folder      where make run keeps the rooms (.data)'
	@echo '  ARGS="..."       more for the server, the benchmark'
	@echo '  VERBOSE=1        make test and make soak show all output as it comes'

run: wasm ## build and start the server; the first time, install what is missing
	@$(RELEASE)
	@exec "$$($(RELEASE) --show-bin-path)/SyncServer" --data "$(DATA)" $(ARGS)

client: setup ## build sync-client, the terminal, and say where it is
	@swift build -c release --product sync-client
	@echo "$$(swift build -c release --product sync-client --show-bin-path)/sync-client"

test: ## all that must hold before a change is taken: format, build, tests, core.wasm, a little fuzzing
	@scripts/test

bench: setup ## measure, beside yrs and loro
	@scripts/setup bench
	@.venv/bin/python Benchmarks/run.py $(ARGS)
	@.venv/bin/python Benchmarks/server.py $(filter --quick,$(ARGS))

wasm: setup ## build web/core.wasm, the core as the page runs it
	@scripts/wasm

screenshots: wasm ## take the pictures of the page in docs/images
	@scripts/screenshots $(ARGS)

format: ## format every Swift file
	@scripts/format

folders: ## which folder uses which; ARGS=SyncServer for one part
	@scripts/folders --graph $(ARGS)

soak: ## the long way: sanitizers, long simulations, ten minutes of fuzzing
	@scripts/soak $(ARGS)

setup: ## install what a fresh Debian 12 with Swift lacks, for building and running
	@scripts/setup
