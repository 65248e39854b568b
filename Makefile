# Every target prepares .venv by itself: Python >= 3.11 and git are all that has to be there.
# PYTHON=/path/to/python picks the interpreter; ARGS='…' is handed on to pytest.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help install demo test lint workflows acceptance image cluster

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-12s%s\n", $$1, $$2}' $(MAKEFILE_LIST)

install:  ## make .venv with the command and everything that tests and lint need
	@.ci/environment test,lint

demo:  ## check a small real repository end to end, from nothing
	@.ci/environment
	@.venv/bin/assay demo

# two workers a core, since many tests wait for processes and for the pauses that GitHub asks for
test:  ## run the tests
	@.ci/environment test
	-@.ci/openapi
	@.venv/bin/python -m pytest -q -n $$((2 * $$(getconf _NPROCESSORS_ONLN))) --dist worksteal $(ARGS)

lint:  ## style, formatting, types, and which layer imports which
	@.ci/environment test,lint
	@.venv/bin/ruff check .
	@.venv/bin/ruff format --check .
	@.venv/bin/mypy
	@.venv/bin/lint-imports

workflows:  ## the actions, workflows and examples, as actionlint, zizmor and GitHub's schemas see them
	@.ci/environment workflows
	@.ci/workflows

acceptance:  ## run the journeys listed in .ci/acceptance, where their scripts are at hand
	@.ci/environment
	@.ci/journeys

image:  ## build the image of the container action and run it as a job would, where buildah can be had
	@.ci/environment test
	-@.ci/openapi
	@.ci/image

cluster:  ## run benchmarks on a real Slurm and over a real ssh, both on this machine
	@.ci/environment test,slurm
	@.ci/cluster $(ARGS)
