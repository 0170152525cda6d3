# Everything runs from .venv, which is made on first use and brought up to date when the files it depends on change.
# Another interpreter: make run PYTHON=python3.12 (after `make clean` where .venv was made with a different one).

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
SWAGGER_UI := 5.36.0

.PHONY: run test check fuzz bench torture demo clean constraints docs-page help

help:
	@echo 'make run          install and start the server (arguments: make run ARGS="--port 9000")'
	@echo 'make test         install and run every test'
	@echo 'make check        generated code, format, lint and types'
	@echo 'make fuzz         let Schemathesis try a thousand cases an operation (ARGS="--examples 100 --seed 7")'
	@echo 'make bench        measure'
	@echo 'make torture      kill servers while clients write, and look for every acknowledged write (half an hour)'
	@echo 'make demo         see it work on a temporary home'
	@echo 'make constraints  resolve the dependencies anew'
	@echo 'make docs-page    fetch the files of the page at /docs anew'
	@echo 'make clean        remove .venv and caches'

run: $(STAMP)
	@$(BIN)/tallystick serve $(ARGS)

test: $(STAMP)
	$(BIN)/python -m pytest $(ARGS)

check: $(STAMP)
	$(BIN)/python -m codegen --check
	$(BIN)/python -m codegen breaking
	$(BIN)/python -m openapi_spec_validator generated/tallystick_contract/openapi.json
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

fuzz: $(STAMP)
	$(BIN)/python -m tests.fuzz $(ARGS)

bench: $(STAMP)
	$(BIN)/python -m tests.bench $(ARGS)

torture: $(STAMP)
	$(BIN)/python -m tests.torture $(ARGS)

demo: $(STAMP)
	@$(BIN)/tallystick demo

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(STAMP): constraints.txt pyproject.toml generated/python-client/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Tallystick needs Python 3.11 or newer, and $(PYTHON) is older or missing." >&2; \
	  echo "Name another interpreter: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) cannot make virtual environments. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@test -x $(BIN)/python || echo 'Making .venv and installing into it; this takes a minute or two, once.'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
# Nothing is resolved here: constraints.txt is whole, and a resolver stumbles over releases that came after it.
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r constraints.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
	  -e generated/python-client -e .
	@$(BIN)/python -m pip check --disable-pip-version-check > /dev/null
	@touch $@

# The page at /docs is Swagger UI: two files of its npm package.
docs-page:
	rm -rf build/docs-page
	mkdir -p build/docs-page
	cd build/docs-page && npm pack --silent swagger-ui-dist@$(SWAGGER_UI) && tar xzf *.tgz
	cp build/docs-page/package/swagger-ui-bundle.js build/docs-page/package/swagger-ui.css server/tallystick/docs_page/

# The client is this repository's own distribution, which is installed from its folder: it is left out of what is resolved.
constraints:
	rm -rf build/constraints
	mkdir -p build/constraints
	grep -v '"tallystick-client==' pyproject.toml > build/constraints/pyproject.toml
	$(PYTHON) -m venv build/constraints/venv
	build/constraints/venv/bin/python -m pip install --quiet --disable-pip-version-check uv
	build/constraints/venv/bin/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-annotate \
	  --no-header --python-version 3.11 --all-extras --output-file constraints.txt build/constraints/pyproject.toml
