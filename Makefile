# Everything a developer or CI runs. Tools are pinned here and built from source
# by `go run`, so go.mod lists only what the product needs.

# Built and run as the command is, so that the tests find what it compiled.
GOLANGCI    := env CGO_ENABLED=0 GOFLAGS=-trimpath go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
ACTIONLINT  := go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
# Steps at the same time and $/path are younger than that release: GitHub's own schema
# looks at them in `make schema`, our doctor at what is in them.
LINTED      := -shellcheck= -pyflakes= -ignore 'unexpected key "(background|parallel|wait|wait-all|cancel|cache-mode)"' \
	-ignore '^step must run script with "run" section' -ignore '"\$$/'
# Prints a line a package, failures in full, and at the end every skipped test
# with its reason. The time-out is for hangs alone: no test is decided by time.
GOTESTSUM   := go run gotest.tools/gotestsum@v1.13.0 --format pkgname --format-hide-empty-pkg --
TIMEOUT     := -timeout 60m
# Built as the command is, so that the tests which build it find its packages
# compiled, and without what only debuggers read. lint vets.
AS_RELEASED := -trimpath -ldflags='-s -w' -vet=off
# Tests live for seconds and hold little: to collect their garbage, and that of the
# commands they start, as often as a server does takes a sixth of their CPU time.
WITH_MEMORY := -exec 'env GOGC=400'

BIN         := bin/breadcrumb
DEMO        := bin/demo
IMAGE       := breadcrumb:dev
FUZZTIME    ?= 20s
PLATFORMS   := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
BUILD       := CGO_ENABLED=0 go build -trimpath -ldflags='-s -w'

.DEFAULT_GOAL := help
.PHONY: help build cross browser description test bindings suite suites race lint security fuzz bench cover golden demo schema interop e2e faults soak reproduce install provenance runner image check clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build the command as bin/breadcrumb
	@$(BUILD) -o $(BIN) .

cross: ## build for every released platform, into bin/, and vet for other systems
	@set -e; for platform in $(PLATFORMS); do \
		os=$${platform%/*} arch=$${platform#*/} file=$(BIN)-$$(echo $$platform | tr / -); \
		case $$os in windows) file=$$file.exe ;; esac; \
		GOOS=$$os GOARCH=$$arch $(BUILD) -o $$file .; echo "built $$file"; \
	done
	GOOS=windows CGO_ENABLED=0 go vet -trimpath ./...
	GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 go vet -trimpath ./...

browser: ## install what the browser tests need: chromium, node, Playwright's driver
	@.ci/browser

description: ## fetch GitHub's descriptions of its API, which tests check every request against (needs npm)
	@internal/githubtest/describe

test: description ## run all tests and list the skipped ones; those in a browser need `make browser`
	CGO_ENABLED=0 $(GOTESTSUM) $(AS_RELEASED) $(WITH_MEMORY) -shuffle=on -count=1 $(TIMEOUT) ./...

bindings: ## run crumb's browser tests with playwright-go's older module too
	go run ./crumb/internal/surface -from crumb -out bin/bindings -overlay bin/bindings.json
	CGO_ENABLED=0 go test $(AS_RELEASED) -overlay bin/bindings.json -c -o bin/bindings.test ./crumb/community
	cd crumb && ../bin/bindings.test -test.timeout 60m

suite: ## install a generated Go suite by docs/generate.md into an empty folder and run it (needs npm's registry and Go's proxy)
	INSTALL=1 CGO_ENABLED=0 go test $(AS_RELEASED) -count=1 -v -run TestAGoSuiteIsInstalled ./generate

race: description ## run all tests under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GOTESTSUM) -race -shuffle=on -count=1 $(TIMEOUT) ./...

lint: ## vet, format and style of Go; the workflows and action.yml
	@$(GOLANGCI) run ./...
	@$(ACTIONLINT) $(LINTED)
	@$(ACTIONLINT) $(LINTED) -ignore 'could not read reusable workflow file for "./.github/workflows/monorepo-suite.yml"' examples/workflows/*.yml $(addprefix internal/workflowlint/testdata/today/,unpinned-uses.yml secrets-inherit.yml cache-poisoning.yml)
	@echo "lint: clean"

security: ## gosec, govulncheck where its database answers, our doctor on our workflows and on those of init
	@.ci/security '$(GOLANGCI)'

fuzz: ## fuzz every fuzz target for FUZZTIME (20s), two at a time; PACKAGES and TARGETS narrow it down
	@FUZZTIME=$(FUZZTIME) .ci/fuzz

bench: ## run the benchmarks
	go test -run '^$$' -bench . -benchmem ./...

cover: ## test coverage by function, into cover.out
	go test -count=1 -coverpkg=./... -coverprofile=cover.out ./...
	@go tool cover -func=cover.out | tail -1

golden: ## rewrite the golden files; read the diff before committing
	@grep -rlE --include='*_test.go' 'golden\.(Check|Update)\(' . | xargs -n1 dirname | sort -u | \
		while read -r package; do go test -count=1 $$package -update; done

demo: build ## run the main job on the example in examples/shop
	@mkdir -p $(DEMO) && cp examples/shop/.breadcrumb.db $(DEMO)/.breadcrumb.db
	@code=0; $(DEMO_RUN) --format markdown --dry-run >$(DEMO)/comment.md || code=$$?; \
		test $$code = 1 || { echo "demo: exit $$code, want 1"; exit 1; }
	@code=0; $(DEMO_RUN) || code=$$?; \
		test $$code = 1 || { echo "demo: exit $$code, want 1"; exit 1; }
	@echo "Comment    $(DEMO)/comment.md (as markdown)"
	@echo
	@echo "The job would fail with exit code 1: the example has one real regression."

DEMO_RUN := $(BIN) ci --repo examples/shop --junit 'examples/shop/results/*.xml' \
	--heal-events 'examples/shop/heals/*.ndjson' --heal-db examples/shop/.breadcrumb.db --db $(DEMO)/.breadcrumb.db

schema: ## check workflows, examples, actions and the tests' workflows against GitHub's own schema (needs npm)
	@mkdir -p bin/schema && cp test/schema/* bin/schema/
	@cd bin/schema && { cmp -s package-lock.json node_modules/installed || { npm ci --no-fund --no-audit --loglevel=error && cp package-lock.json node_modules/installed; }; }
	@node bin/schema/check.mjs action.yml native/action.yml setup/action.yml .github/workflows/*.yml examples/workflows/*.yml internal/workflowlint/testdata/today/*.yml

suites: ## run suites of Playwright Test, in four versions, and of pytest through `breadcrumb run`, and trials of edits (needs npm, `make browser`, pytest with xdist)
	SUITES=$(CURDIR)/bin/suites BREADCRUMB_BROWSER=1 CGO_ENABLED=0 go test $(AS_RELEASED) -count=1 -timeout 80m -p 1 -parallel 1 ./test/run ./trial

interop: ## speak with GitHub's own npm clients, and with MCP's; read edited tests with their languages' own tools (needs npm)
	@$(call installed,ci/gh)
	INTEROP=$(CURDIR)/bin/interop/ci/gh go test -count=1 -run Interop ./ci/gh
	@$(call installed,engine/locator)
	INTEROP=$(CURDIR)/bin/interop/engine/locator go test -count=1 -run Interop ./engine/locator
	@$(call installed,engine/patch)
	INTEROP=$(CURDIR)/bin/interop/engine/patch go test -count=1 -run Interop ./engine/patch
	@$(call installed,mcp)
	INTEROP=$(CURDIR)/bin/interop/mcp go test -count=1 -run Interop ./mcp
	@$(call installed,test/native)
	INTEROP=$(CURDIR)/bin/interop/test/native go test -count=1 -run Interop ./test/native

# installed puts a room's testdata/interop into bin/interop with its npm packages.
installed = mkdir -p bin/interop/$(1) && cp $(1)/testdata/interop/* bin/interop/$(1)/ && \
	cd bin/interop/$(1) && { test -d node_modules || npm install --no-fund --no-audit --loglevel=error; }

e2e: ## the workflows of examples/workflows under the runner act, the action in its container (needs root, podman)
	@test/e2e/setup
	E2E=$(CURDIR)/bin/e2e go test -count=1 ./test/e2e

faults: ## the fault script: GitHub behind toxiproxy, a proxy that cuts connections; a release that fails at each step
	GOBIN=$(CURDIR)/bin/toxiproxy go install github.com/Shopify/toxiproxy/v2/cmd/server@v2.5.0
	TOXIPROXY=$(CURDIR)/bin/toxiproxy/server go test -count=1 -run 'Faults|Stale' ./ci/gh
	FAULTS=1 go test $(AS_RELEASED) -count=1 -timeout 30m -run 'EveryStep|Withdrawn' ./test/release

soak: ## the promises of docs/internals/state.md in full, a simulated organisation, and a year of one repository: takes some hours
	BREADCRUMB_LONG=1 go test -count=1 -timeout 90m -run 'Merge|LetGo|Partition|Killed|Damaged|Crowd|NewestWins|Resumed' ./store/... ./state ./ci/gh
	BREADCRUMB_LONG=1 go test -count=1 -timeout 4h -run Organisation ./test/organisation
	BREADCRUMB_LONG=1 $(MAKE) suites
	go test -count=1 -timeout 6h -v -run AYear ./test/year -days 365 -early 30 -every 30 -runs 30 -tests 2000 -keep 300 -times
	FUZZTIME=2m .ci/fuzz

reproduce: ## build a release again and compare every file's bytes: with those in RELEASED of VERSION, or with a first build
	REPRODUCE=1 go test -count=1 -timeout 30m -run TwoBuilds ./test/release

install: ## install the command as docs/install.md says: npm, pip, curl, Go (needs npm, python3 with venv)
	INSTALL=1 go test -count=1 -timeout 30m -run TheCommandIsInstalled ./test/release

provenance: ## verify attestations as docs/releases.md says, with the attestation's own library (a module of its own)
	cd test/provenance && CGO_ENABLED=0 go test -trimpath -count=1 ./...

runner: ## test the container image as GitHub's runner runs it (docker, or podman as root)
	@test/image/run

image: ## build the action's container image
	docker build -t $(IMAGE) .

check: lint test cross demo ## what CI runs before interop and faults

clean: ## remove what the other targets made
	rm -rf bin cover.out
