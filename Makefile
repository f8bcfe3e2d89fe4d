# SPDX-License-Identifier: MIT
# `make` alone prints what there is.

SWIFT ?= swift
FUZZ_SECONDS ?= 60
FUZZ_TARGETS ?= FuzzJPEG FuzzPNG FuzzWebP FuzzGIF FuzzEntry
# How many tests run at once: with all at once, those that wait would run into their time limits behind those that compute.
TEST_OPTIONS ?= --skip-build --disable-xctest --experimental-maximum-parallelization-width 8
LINT_PATHS = $(wildcard Package.swift Sources Tests Fuzz Examples)

# What runs on several threads, and what reads memory that comes from outside.
TSAN_SUITES ?= WICoreTests|WICacheTests|WILoaderCurlTests|WebImageTests
ASAN_SUITES ?= WICoreTests|WIPixelsTests|WIEntryTests|WICacheTests|WILoaderCurlTests|WICodersTests|WITransformersTests|WIColorTests

export SWIFT

.DEFAULT_GOAL := help
.PHONY: help dependencies test-dependencies demo test check lint structure strict sanitize sanitize-thread sanitize-address \
	fuzz-smoke bench clean

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' Makefile

dependencies: ## Install the system libraries that are missing (Debian)
	@Scripts/install-dependencies.sh

demo: dependencies ## Build the tool, load pictures from a server inside it, and write demo.png
	$(SWIFT) build -c release --product webimage
	@"$$($(SWIFT) build -c release --product webimage --show-bin-path)/webimage" demo

test-dependencies: ## Install the servers and programs that tests use as well
	@Scripts/install-dependencies.sh --tests

test: test-dependencies ## Build and run all tests
	$(SWIFT) build --build-tests
	$(SWIFT) test $(TEST_OPTIONS)

check: lint structure strict ## The quick gate: format, import arrows, warnings as errors, tests
	WI_WERROR=1 $(SWIFT) test $(TEST_OPTIONS) --scratch-path .build-strict

lint: ## Check the format of all Swift files
	$(SWIFT) format lint --strict --recursive --parallel --configuration .swift-format $(LINT_PATHS)

structure: ## Check the import arrows between modules, and the lengths of files
	@Scripts/check-structure.sh

strict: test-dependencies ## Build everything with warnings as errors
	WI_WERROR=1 $(SWIFT) build --build-tests --scratch-path .build-strict

sanitize: sanitize-thread sanitize-address ## Run the suites that matter under ThreadSanitizer and AddressSanitizer

sanitize-thread: dependencies
	WI_TSAN=1 $(SWIFT) build --build-tests --sanitize=thread --scratch-path .build-tsan
	WI_TSAN=1 $(SWIFT) test $(TEST_OPTIONS) --sanitize=thread --scratch-path .build-tsan \
		--filter '^($(TSAN_SUITES))\.'

sanitize-address: dependencies
	$(SWIFT) build --build-tests --sanitize=address --scratch-path .build-asan
	LSAN_OPTIONS=suppressions=$(CURDIR)/Scripts/leak-suppressions.txt:print_suppressions=0 \
		$(SWIFT) test $(TEST_OPTIONS) --sanitize=address --scratch-path .build-asan \
		--filter '^($(ASAN_SUITES))\.'

fuzz-smoke: dependencies ## Run each fuzz target for FUZZ_SECONDS (60)
	@SWIFT="$(SWIFT)" Scripts/fuzz-smoke.sh $(FUZZ_SECONDS) $(FUZZ_TARGETS)

bench: dependencies ## Build and run the benchmarks
	$(SWIFT) build -c release --product Benchmarks
	@"$$($(SWIFT) build -c release --product Benchmarks --show-bin-path)/Benchmarks" $(BENCH_ARGUMENTS)

clean: ## Remove everything that was built
	rm -rf .build .build-strict .build-tsan .build-asan .build-fuzz Examples/*/.build
