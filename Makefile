# Lupine's verbs. Each does its own set-up: `make help` lists them.

SWIFT ?= swift
# All at once, hundreds of tests with servers of their own wait longer for a core than what they measure takes.
# (`--num-workers` bounds only XCTest.)
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 16
PARALLEL = --parallel
# For `make conformance`: a directory of public test cases, not part of this repository.
CASES ?= $(wildcard ../shared/cases)

.DEFAULT_GOAL := help
.PHONY: help setup setup-build setup-test setup-packages demo test test-loopback live-peers test-tsan check nightly fuzz bench conformance clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: setup-test ## installs what is missing: system packages (apt), httpbin (in .venv)

setup-build:
	@scripts/setup build

setup-test: setup-packages .venv/.ready

setup-packages:
	@scripts/setup test

.venv/.ready: scripts/peers-requirements.txt | setup-packages
	@echo "+ pip install -r $< (into .venv)"
	@python3 -m venv .venv
	@.venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	@touch $@

demo: setup-build ## the tour: builds, then shows each feature against a server in the same process
	$(SWIFT) run lupine demo

# In two runs: the second loads servers and cores so that the first would wait for its turns.
test: setup test-loopback ## every test, also against httpbin and nginx, started for it
	scripts/peers run -- $(SWIFT) test $(PARALLEL) --skip-build --filter LivePeer

test-loopback: setup-build ## every test that needs no other program
	$(SWIFT) test $(PARALLEL) --skip LivePeer

live-peers: setup ## only the tests against httpbin and nginx
	scripts/peers run -- $(SWIFT) test $(PARALLEL) --filter LivePeer

# One after another, and without values that no two threads touch: the sanitizer is slow, and limits of time are tested.
test-tsan: setup-build ## unit and loopback tests under the thread sanitizer
	TSAN_OPTIONS="halt_on_error=1 suppressions=$(CURDIR)/scripts/tsan.supp $$TSAN_OPTIONS" $(SWIFT) test --no-parallel --sanitize=thread --scratch-path .build/tsan \
	--skip 'LupineSerializationTests|HTTPURL|HTTPHeaders|HTTPRequestValidation|DeadlineHeap|AnswerFuzz|LargeBody|LivePeer|SecureCookie|SetCookieField|Cookie(Date|Domain|Eviction|Expiry|Limit|Path)'

check: setup ## formatter, layers, unsafe marks, docs, warnings, linkage: what a change must pass besides its tests
	scripts/check
	scripts/fuzz 30

# LUPINE_NIGHTLY lengthens the tests that read it: bodies of 1 GB, long fuzzing.
nightly: export LUPINE_NIGHTLY = 1
nightly: export ASAN_OPTIONS := detect_leaks=1 $(ASAN_OPTIONS)
nightly: export LSAN_OPTIONS := suppressions=$(CURDIR)/scripts/lsan.supp print_suppressions=0 $(LSAN_OPTIONS)
SANITIZED = $(SWIFT) test --sanitize=address --scratch-path .build/asan
# What keeps the cores busy runs apart from what has a limit of time, and what is tested against such runs one after another.
LONG = AnswerFuzz|LargeBody
BUSY = LupineSerializationTests

nightly: setup ## address and leak sanitizer, 1 GB bodies, long fuzzing
	$(SANITIZED) $(PARALLEL) --filter '$(LONG)'
	$(SANITIZED) $(PARALLEL) --skip-build --filter '$(BUSY)'
	$(SANITIZED) --no-parallel --skip-build --skip '$(LONG)|$(BUSY)|LivePeer'
	scripts/peers run -- $(SANITIZED) --no-parallel --skip-build --filter LivePeer
	scripts/fuzz 300 --coverage

fuzz: setup-build ## libFuzzer: each program for a minute, and the lines that it reaches
	scripts/fuzz 60 --coverage

bench: setup ## CPU, memory and throughput beside a C loop over libcurl and URLSession
	Benchmarks/run

conformance: setup-build ## public tables of test cases: make conformance CASES=DIRECTORY
ifeq ($(CASES),)
	@echo "make conformance: name the directory of the tables: make conformance CASES=DIRECTORY" >&2; exit 1
else
	LUPINE_CASES=$(abspath $(CASES)) $(SWIFT) test --filter Conformance
endif

clean: ## removes what was built, and .venv
	rm -rf .build .venv Benchmarks/.build Fuzz/.build
