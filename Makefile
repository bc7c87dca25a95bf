# finishline: what a person types. Needs Go and git; everything else comes with
# `go build`.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build
GO ?= go
FUZZTIME ?= 100x

.PHONY: build
build: ## build bin/finishline, which needs no library of the machine
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/finishline ./cmd/finishline

.PHONY: demo
demo: build ## verify an example run, then five tamperings of it
	bin/finishline demo

# Tests are vetted by lint, and nobody debugs their binaries, which link faster so.
TESTFLAGS := -vet=off -ldflags=-w

# What a log of verbose tests says of the vectors, a line per area.
AREAS = sed -n 's/.*vectors: \([a-z0-9-]*\)[^:]*: \([0-9]*\) cases, \([0-9]*\) passed, \([0-9]*\) failed/\1 \2 \3 \4/p' $(1) | \
	awk '{c[$$1]+=$$2; p[$$1]+=$$3; f[$$1]+=$$4} END {for (a in c) printf "%-18s %4d cases, %4d passed, %d failed\n", a, c[a], p[a], f[a]}' | sort

# What passed before and has not changed is not run again: Go's cache of tests knows every file that a test reads below
# the project, and no other; hence -count=1 for vectors from elsewhere.
.PHONY: test
test: ## all tests; of the vectors, a line per area
	@status=0; $(GO) test $(TESTFLAGS) $(if $(FINISHLINE_VECTORS),-count=1) -p 3 -v ./... 2>&1 | tee bin/test.log | \
	grep -E --line-buffered '^(ok|FAIL|panic)|^ *--- FAIL|build failed' || status=1; \
	$(call AREAS,bin/test.log); \
	if [ $$status != 0 ]; then grep -E -A 30 '^ *--- FAIL|build failed|^panic' bin/test.log | head -n 400; echo 'some tests failed; see bin/test.log'; exit 1; fi
test: | bin

.PHONY: vectors
vectors: ## every conformance vector, a line per area (FINISHLINE_VECTORS=DIR: from another folder)
	@$(GO) test $(TESTFLAGS) $(if $(FINISHLINE_VECTORS),-count=1) -v -run '^TestVectors' ./... > bin/vectors.log 2>&1 && status=0 || status=1; \
	$(call AREAS,bin/vectors.log); \
	if [ $$status != 0 ]; then grep -E '^ *--- FAIL|^FAIL|build failed' bin/vectors.log; echo 'some vectors failed; see bin/vectors.log'; exit 1; fi
vectors: | bin
bin:
	@mkdir -p bin

# What runs several things at once, with all that it runs: the gates and the runtime are raced through verify/finish.
# race-all has every package, SQLite too, which takes longer to build for the race detector than all else to test.
CONCURRENT = ./verify/proof/produce ./verify/finish ./packet ./privacy ./internal/git ./verify/evidence \
	./verify/journal/harness ./verify/journal/lines ./verify/journal/store
.PHONY: race
race: ## tests of all that runs side by side, with the race detector; of the vectors, a sample
	$(GO) test $(TESTFLAGS) -race -short -p 3 $(CONCURRENT)

.PHONY: race-all
race-all: ## a sample of all tests with the race detector
	$(GO) test $(TESTFLAGS) -race -short ./...

.PHONY: fmt
fmt: ## fail when a file is not formatted
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$unformatted" ]; then echo "not formatted:"; echo "$$unformatted"; exit 1; fi

.PHONY: lint
lint: fmt
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

.PHONY: rules
rules: ## rule ids of the code and of docs/contracts agree
	$(GO) test $(TESTFLAGS) -count=1 -run '^TestRule' ./cmd/finishline

# Every native fuzz target, for FUZZTIME each; a package's test binary is built once for all of its targets. Where each
# has only some hundred inputs, what guides the search is not worth building: GUIDED= leaves it out.
GUIDED ?= -fuzz .
.PHONY: fuzz
fuzz: ## a run of every fuzz target (FUZZTIME=100x each; a time such as 1m for longer ones)
	@for dir in $$(git ls-files '*_test.go' | xargs grep -l '^func Fuzz' | xargs -n1 dirname | sort -u); do \
	$(GO) test -c $(TESTFLAGS) $(GUIDED) -o bin/fuzz.test "./$$dir"; \
	for name in $$(cd "$$dir" && "$(CURDIR)/bin/fuzz.test" -test.list '^Fuzz'); do echo "fuzz $$dir $$name"; \
	(cd "$$dir" && "$(CURDIR)/bin/fuzz.test" -test.run '^$$' -test.fuzz "^$$name$$" -test.fuzztime $(FUZZTIME) -test.fuzzminimizetime 1x -test.fuzzcachedir "$(CURDIR)/bin/fuzz") > bin/fuzz.log 2>&1 || { cat bin/fuzz.log; exit 1; }; done; done
fuzz: | bin

.PHONY: tamper
tamper: ## every mutant of the tampering properties, more than 5,000
	$(GO) test -count=1 -v -timeout 30m -run '^TestEveryTampering' ./verify/finish -mutants 0

.PHONY: long
long: tamper ## the tests that try everything where others try a part; takes half an hour and more
	FINISHLINE_LONG=1 $(GO) test $(TESTFLAGS) -count=1 -timeout 30m ./...

.PHONY: check
check: GUIDED =
check: lint test race rules fuzz ## everything CI runs: all tests and vectors, a sample with the race detector, a short run of every fuzz target

.PHONY: bench
bench: ## micro-benchmarks
	$(GO) test -run '^$$' -bench . -benchmem ./...

.PHONY: bench-packet
bench-packet: build ## packet verify on a 512-file, 50 MB run, as a ratio to git status + sha256sum
	$(GO) test -count=1 -v -tags bench -run '^TestBenchPacket$$' ./cmd/finishline

.PHONY: bench-verify
bench-verify: build ## the whole finish line on a complete run with 300 evidence files, as the same ratio
	$(GO) test -count=1 -v -tags bench -run '^TestBenchVerify$$' ./cmd/finishline

.PHONY: bench-proof
bench-proof: build ## proof run -- true, as a ratio to git status twice and the command
	$(GO) test -count=1 -v -tags bench -run '^TestBenchProof$$' ./cmd/finishline

.PHONY: bench-privacy
bench-privacy: build ## privacy scan of the Go source tree, beside grep and gitleaks
	$(GO) test -count=1 -v -timeout 60m -tags bench -run '^TestBenchPrivacy$$' ./cmd/finishline

.PHONY: bench-journal
bench-journal: build ## journal verify on 1 GiB journals and the largest store, beside openssl dgst over the same bytes
	$(GO) test -count=1 -v -timeout 60m -tags bench -run '^TestBench(Journal|Store)$$' ./cmd/finishline

.PHONY: help
help:
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16
