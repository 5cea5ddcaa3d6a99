"""Claims that hold for every entry point and every odd or bad input: the answer, or one sentence on what is wrong."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import json
import math
import re

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

import odd_input as odd
from answers import assert_finite, assert_one_sentence, tiny_fits
from minerva_select import MinervaSelector, mutual_information, open_source, selectors
from minerva_select.cli import app
from minerva_select.data.loading import read_table
from minerva_select.errors import MinervaError
from minerva_select.evaluation import compare, repeat_fits, score_selection
from minerva_select.report import render
from minerva_select.results import Selection
from minerva_select.selectors import PaperSelector

BRIEF = {
    "BorutaSelector": {"n_iterations": 4, "n_estimators": 5},
    "GradientBoostingSelector": {"n_estimators": 5},
    "LassoSelector": {"n_features_to_select": 1},
    "MRMRSelector": {"n_features_to_select": 1},
    "RandomForestSelector": {"n_estimators": 5},
    "RFESelector": {"n_features_to_select": 1, "n_estimators": 5},
}


@pytest.fixture(autouse=True, scope="module")
def _tiny_fits():
    with tiny_fits():
        yield


def fit_with(kind):
    return lambda X, y, **rows: kind(random_state=0).fit(X, y, **rows).selection_.to_json()


def fit_baseline(name):
    def fit(X, y, **rows):
        return getattr(selectors, name)(random_state=0, **BRIEF.get(name, {})).fit(X, y, **rows).selection_.to_json()

    return fit


def estimate(X, y, **rows):
    return json.dumps(dataclasses.asdict(mutual_information(X, y, random_state=0, **rows)), allow_nan=False)


def run_compare(X, y):
    """Compare two methods, all in this process; a method or a figure that failed must say so in a sentence of ours."""
    with joblib.parallel_config(backend="sequential"):
        comparison = compare(X, y, ["forest", "ksg"])
    for result in (*comparison.results, comparison.all_features):
        for failure in result.failures:
            assert not re.search(r"\b\w*(Error|Warning|Exception)\b", failure.message), failure
    return comparison.to_json()


BASELINES = sorted(name for name in selectors.__all__ if name.endswith("Selector") and name != "MinervaSelector")
FITS = {
    "vetting": fit_with(MinervaSelector),
    "paper": fit_with(PaperSelector),
    **{name: fit_baseline(name) for name in BASELINES},
}
ENTRIES = {**FITS, "mutual_information": estimate, "compare": run_compare}
OURS = ("vetting", "paper", "mutual_information")

# Where a method has a rule of its own: what its sentence must hold
OWN_RULES = {
    ("FOCISelector", "one row that is not missing"): "rows without a missing value",
    ("KSGSelector", "all different text"): "one row of every class",
    ("compare", "six rows"): "each part needs 6",
    ("compare", "seven rows"): "each part needs 6",
    ("compare", "one row of a class"): "only one value in the held-out rows",
}
NAMELESS = ("mutual_information", "compare")  # which keep no names to compare others with

# A comparison trains a model for each of its figures: these tables have something that models may stumble over.
COMPARED = (
    *("one column", "all missing", "all constant", "names in markup and controls", "mixed objects", "a masked array"),
    *("whole numbers beyond 63 bits", "truth with NaN", "dates with a zone", "text beyond UTF-8", "levels in no order"),
    *("polars wide numbers", "largest and smallest numbers", "six rows", "seven rows", "one row that is not missing"),
    *(
        "text",
        "large amounts",
        "one outlier",
        "one row of a class",
        "all different text",
        "an amount that is a feature",
    ),
)


def cases(entries, names):
    """Every entry with every case, but for comparisons with some."""
    return [(entry, name) for name in names for entry in entries if entry != "compare" or name in COMPARED]


def n_rows_of(X):
    return len(X) if getattr(X, "ndim", 0) and isinstance(X, np.ndarray | pd.DataFrame) else odd.N_ROWS


@contextlib.contextmanager
def refused(words):
    """Expect an error of ours whose one sentence holds these words."""
    with pytest.raises(MinervaError) as caught:
        yield
    assert_one_sentence(str(caught.value), words)


def check_answer(entry, name, call):
    """Expect finite numbers, or the sentence of a rule that this method has of its own."""
    if (entry, name) in OWN_RULES:
        with refused(OWN_RULES[entry, name]):
            call()
    else:
        assert_finite(call())


@pytest.mark.parametrize(("entry", "name"), cases(ENTRIES, odd.GOOD_TABLES))
def test_an_odd_table_has_an_answer(entry, name):
    X = odd.GOOD_TABLES[name]()
    check_answer(entry, name, lambda: ENTRIES[entry](X, odd.labels(n_rows_of(X))))


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("name", odd.BAD_TABLES)
def test_a_bad_table_is_refused(entry, name):
    make, words = odd.BAD_TABLES[name]
    X = make()
    n_rows = 0 if name.startswith("no rows") else n_rows_of(X)
    if name == "names of several types" and entry in NAMELESS:
        assert_finite(ENTRIES[entry](X, odd.labels(n_rows)))
        return
    with refused("" if entry == "compare" and name in ("one row", "three rows") else words):
        ENTRIES[entry](X, odd.labels(n_rows))


@pytest.mark.parametrize(("entry", "name"), cases(ENTRIES, odd.GOOD_TARGETS))
def test_an_odd_target_has_an_answer(entry, name):
    check_answer(entry, name, lambda: ENTRIES[entry](odd.beside(odd.FLAGS), odd.GOOD_TARGETS[name]()))


@pytest.mark.parametrize("entry", FITS)
@pytest.mark.parametrize(
    "name", ["a name of its own for every row", "whole numbers beyond 63 bits", "polars wide numbers"]
)
def test_an_odd_table_has_an_answer_about_amounts(entry, name):
    assert_finite(FITS[entry](odd.GOOD_TABLES[name](), odd.AMOUNTS))


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("name", odd.SEVERAL_TARGETS)
def test_several_targets_have_an_answer_or_are_too_many(entry, name):
    X, y = odd.beside(odd.FLAGS), odd.SEVERAL_TARGETS[name]()
    if entry in OURS:
        assert_finite(ENTRIES[entry](X, y))
    else:
        with refused("choose one"):
            ENTRIES[entry](X, y)


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("name", odd.BAD_TARGETS)
def test_a_bad_target_is_refused(entry, name):
    make, words = odd.BAD_TARGETS[name]
    with refused(words):
        ENTRIES[entry](odd.beside(odd.FLAGS), make())


def takes(entry, rows):
    """Whether an entry is told of rows in this way."""
    if entry in BASELINES:
        return rows.keys() <= inspect.signature(getattr(selectors, entry).fit).parameters.keys()
    return entry in OURS and not (entry == "mutual_information" and "sample_weight" in rows)


@pytest.mark.parametrize(
    ("entry", "name"),
    [(entry, name) for name in odd.GOOD_ROWS for entry in ENTRIES if takes(entry, odd.GOOD_ROWS[name])],
)
def test_odd_words_about_rows_have_an_answer(entry, name):
    assert_finite(ENTRIES[entry](odd.beside(odd.FLAGS), odd.labels(), **odd.GOOD_ROWS[name]))


@pytest.mark.parametrize(
    ("entry", "name"),
    [(entry, name) for name in odd.BAD_ROWS for entry in ENTRIES if takes(entry, odd.BAD_ROWS[name][0])],
)
def test_bad_words_about_rows_are_refused(entry, name):
    rows, words = odd.BAD_ROWS[name]
    with refused(words):
        ENTRIES[entry](odd.beside(odd.FLAGS), odd.labels(), **rows)


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_same_odd_table_has_the_same_answer(entry):
    X = pd.concat(
        [
            odd.GOOD_TABLES[name]()[["odd"]].set_axis([name], axis=1)
            for name in ("mixed objects", "truth with NaN", "bytes")
        ]
        + [odd.beside(odd.AMOUNTS.astype(np.float16))],
        axis=1,
    )
    first, second = (json.loads(ENTRIES[entry](X, odd.labels())) for _ in range(2))
    assert timeless(first) == timeless(second)


def timeless(document):
    """A result without the times of its making."""
    if isinstance(document, dict):
        return {name: timeless(value) for name, value in document.items() if name not in ("seconds", "created")}
    return [timeless(item) for item in document] if isinstance(document, list) else document


@pytest.mark.parametrize(
    "entry",
    [
        "RandomForestSelector",
        *(
            pytest.param(entry, marks=pytest.mark.slow)  # the screen of all pairs takes ten seconds and more
            for entry in ("vetting", "mutual_information", "FOCISelector", "KSGSelector")
        ),
    ],
)
def test_ten_thousand_columns_have_an_answer(entry):
    X = np.random.default_rng(0).integers(0, 2, size=(12, 10_000)).astype(np.float32)
    assert_finite(ENTRIES[entry](X, X[:, 7]))


FOREST = {"n_estimators": 2, "random_state": 0}


@pytest.mark.filterwarnings("ignore:No features were selected")
@pytest.mark.parametrize("name", odd.GOOD_TABLES)
def test_every_column_of_an_odd_table_can_be_handed_back(name):
    make = odd.GOOD_TABLES[name]
    n_columns = selectors.RandomForestSelector(**FOREST).fit(make(), odd.labels(n_rows_of(make()))).n_features_in_
    selector = selectors.RandomForestSelector(n_columns, **FOREST).fit(make(), odd.labels(n_rows_of(make())))
    assert selector.transform(make()).shape == (n_rows_of(make()), selector.support_.sum())


ANY_SHAPE = (
    "no rows",
    "one row",
    "three rows",
    "infinit",
    "beyond floats",
    "lists",
    "structures",
    "mappings",
    "arrays",
)
ANY_CELL = ("dictionaries", "sets", "frames", "objects", "functions", "complex numbers", "UTF-8")


@pytest.mark.filterwarnings("ignore:X (has|does not have valid) feature names")
@pytest.mark.filterwarnings("ignore:DataFrameGroupBy.dtypes is deprecated")  # by pandas 2.2
@pytest.mark.parametrize(
    "name", [name for name in odd.BAD_TABLES if not any(map(name.__contains__, ANY_SHAPE + ANY_CELL))]
)
def test_what_is_no_table_cannot_be_transformed(name):
    for good in (odd.beside(odd.FLAGS), np.stack([odd.AMOUNTS, odd.FLAGS], axis=1)):
        selector = selectors.RandomForestSelector(**FOREST).fit(good, odd.labels())
        with pytest.raises(MinervaError) as caught:
            selector.transform(odd.BAD_TABLES[name][0]())
        message = str(caught.value)
        # Other names are told in the words, and lines, that scikit-learn's checks insist on
        if not message.startswith("The feature names should match those that were passed during fit."):
            assert_one_sentence(message)


def test_columns_that_polars_cannot_hold_are_named_as_the_reason():
    X = odd.GOOD_TABLES["long precision"]()
    selector = selectors.RandomForestSelector(3, **FOREST).set_output(transform="polars").fit(X, odd.labels())
    with refused("cannot be given as polars"):
        selector.transform(X)


def is_refused(call):
    """Whether a call is refused, and then in one sentence of ours."""
    try:
        call()
    except MinervaError as error:
        message = str(error)
    else:
        return False
    assert_one_sentence(message.replace("...", "").replace(". ", " "))  # of a value that is shown
    return True


def fit_forest(**parameters):
    return selectors.RandomForestSelector(**FOREST | parameters).fit(odd.beside(odd.FLAGS), odd.labels())


def parameters_of(call):
    return [name for name in inspect.signature(call).parameters if name not in ("X", "y")]


@pytest.mark.parametrize(
    ("name", "parameter"), [(name, one) for name in BASELINES for one in parameters_of(getattr(selectors, name))]
)
def test_a_baseline_takes_or_refuses_any_value_of_a_parameter(name, parameter):
    for value in odd.ODD_VALUES.values():
        selector = getattr(selectors, name)(**{"random_state": 0, **BRIEF.get(name, {}), parameter: value})
        with joblib.parallel_config(backend="sequential"):  # whatever n_jobs is
            is_taken = not is_refused(lambda selector=selector: selector.fit(odd.beside(odd.FLAGS), odd.labels()))
        if is_taken:
            assert_finite(selector.selection_.to_json())


@pytest.mark.parametrize("parameter", parameters_of(PaperSelector))  # those of MinervaSelector and five more
def test_minerva_takes_or_refuses_any_value_of_a_parameter(parameter, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where a word is a good name of a cache
    for value in odd.ODD_VALUES.values():
        selector = PaperSelector(**{"random_state": 0, parameter: value})
        if not is_refused(lambda selector=selector: selector.fit(odd.beside(odd.FLAGS), odd.labels())):
            assert_finite(selector.selection_.to_json())


@pytest.mark.parametrize("parameter", parameters_of(mutual_information))
def test_an_estimate_takes_or_refuses_any_value_of_a_parameter(parameter):
    found = []
    for value in odd.ODD_VALUES.values():
        asked = {parameter: value}
        is_refused(lambda asked=asked: found.append(mutual_information(odd.beside(odd.FLAGS), odd.labels(), **asked)))
    assert all(math.isfinite(estimate.nats) for estimate in found)


# Functions that take more than a table, with arguments that are good
CALLS = {
    compare: {"X": odd.beside(odd.FLAGS)[:6], "y": odd.labels(6), "methods": ["forest"]},  # too few rows to go far
    repeat_fits: {"selector": selectors.KSGSelector(), "X": odd.beside(odd.FLAGS), "y": odd.labels(), "n_repeats": 1},
    score_selection: {"selected": ["a"], "relevant": ["a"]},
    read_table: {"path": "no.csv"},
    open_source: {"data": odd.beside(odd.FLAGS)},
    Selection.load: {"path": "no.json"},
    Selection.from_json: {"text": "{}"},
    render: {"selection": None},
}


@pytest.mark.parametrize(
    ("call", "parameter"),
    [(call, one) for call in CALLS for one in parameters_of(call) if one not in ("progress", "folder", "source")],
)
def test_a_function_takes_or_refuses_any_value_of_a_parameter(call, parameter, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for value in odd.ODD_VALUES.values():
        is_refused(lambda value=value: call(**CALLS[call] | {parameter: value}))


@pytest.mark.parametrize("kind", [kind for kind, value in odd.ODD_VALUES.items() if not isinstance(value, str)])
@pytest.mark.parametrize("write", [Selection.save, Selection.report])
def test_a_selection_is_written_to_paths_alone(write, kind):
    value = odd.ODD_VALUES[kind]
    with refused("must be a path"):
        write(fit_forest().selection_, value)


def as_file(X, path):
    """Write a table with a column ``answer`` in Parquet."""
    if isinstance(X, np.ndarray):
        X = pd.DataFrame(X).rename(columns="x{}".format)
    if isinstance(X, pl.DataFrame):
        X = X.to_arrow()
    X = X if isinstance(X, pa.Table) else pa.Table.from_pandas(X, preserve_index=False)
    parquet.write_table(X.append_column("answer", pa.array(odd.labels(len(X)))), path)


FILED = (
    *("one column", "six rows", "all missing", "all constant", "all identifiers", "an empty name", "an array of truth"),
    *(
        "names in markup and controls",
        "names of rare letters",
        "half precision",
        "whole numbers beyond 64 bits in numpy",
    ),
    *("dates with a zone", "durations", "very long text", "text of any letter", "levels in no order", "decimals"),
    *("nullable truth", "polars nothing", "polars times", "polars bytes", "Arrow dictionary of numbers", "Arrow bytes"),
    *("Arrow decimals", "Arrow dates of 32 bits", "largest and smallest numbers", "one row that is not missing"),
)
BAD_FILES = {
    "nothing": b"",
    "a line end": b"\n",
    "names and no rows": b"a,b,answer\n",
    "one row": b"a,b,answer\n1,2,3\n",
    "one name twice": b"a,a,answer\n" + b"1,2,0\n2,1,1\n" * 9,
    "rows of unequal length": b"a,b,answer\n" + b"1,2,0\n2,1\n" * 9,
    "infinite words": b"a,b,answer\n" + b"inf,2,0\n-inf,1,1\n" * 9,
    "an answer that is the same": b"a,b,answer\n" + b"1,2,0\n2,1,0\n" * 9,
    "an answer with gaps": b"a,b,answer\n" + b"1,2,0\n2,1,\n3,1,1\n" * 9,
    "no answer": b"a,b,c\n" + b"1,2,0\n2,1,1\n" * 9,
    "an answer alone": b"answer\n" + b"0\n1\n" * 9,
    "an open quote": b'a,b,answer\n"1,2,0\n' * 9,
    "no text": bytes(range(256)) * 9,
    "two bytes a letter": "a,b,answer\n1,2,3\n".encode("utf-16"),
    "a broken Parquet file": b"PAR1" + b"\x00" * 99 + b"PAR1",
    "a broken Arrow file": b"ARROW1\x00\x00" + b"\x00" * 99,
}
ODD_FILES = {
    "an answer in words": b"a,b,answer\n" + b"1,2,yes\n2,1,no\n3,5,no\n" * 9,
    "nothing but the answer": b"a,b,answer\n" + b",,0\n,,1\n" * 9,
    "an answer that is all different": b"a,b,answer\n" + b"".join(b"%d,%d,%d.5\n" % (i, i % 3, i) for i in range(30)),
    "a mark before the text": b"\xef\xbb\xbfa,b,answer\r\n" + b"1,x,0\r\n2,y,1\r\n3,x,1\r\n" * 9,
    "names in quotes": b'a,"b,\n<b>""",answer\n' + b"1,2,0\n2,1,1\n3,1,1\n" * 9,
}
SUFFIXES = {"a broken Parquet file": "parquet", "a broken Arrow file": "feather"}


def command(name, path, x):
    """The words of a command that reads a table."""
    return {
        "select": ["select", path, "--target", "answer", "--json"],
        "estimate": ["estimate", path, "--x", x, "--y", "answer", "--json"],
        "compare": ["compare", path, "--target", "answer", "--methods", "forest", "--json"],
    }[name]


def run(*words):
    with joblib.parallel_config(backend="sequential"):
        return CliRunner().invoke(app, [str(word) for word in words])


def assert_refused(result):
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("minerva: ")
    assert_one_sentence(result.stderr.removeprefix("minerva: ").removesuffix("\n"))


@pytest.mark.parametrize("name", FILED)
@pytest.mark.parametrize("words", ["select", "estimate", "compare"])
def test_a_command_answers_for_an_odd_table(words, name, tmp_path):
    path = tmp_path / "data.parquet"
    as_file(odd.GOOD_TABLES[name](), path)
    result = run(*command(words, path, parquet.read_schema(path).names[0]))
    if name == "six rows" and words == "compare":
        assert_refused(result)
    else:
        assert result.exit_code == 0, result.stderr
        assert_finite(result.stdout)


@pytest.mark.parametrize("name", ODD_FILES)
@pytest.mark.parametrize("words", ["select", "estimate", "compare"])
def test_a_command_answers_for_an_odd_file(words, name, tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(ODD_FILES[name])
    result = run(*command(words, path, "a"))
    assert result.exit_code == 0, result.stderr
    assert_finite(result.stdout)


@pytest.mark.parametrize("name", BAD_FILES)
@pytest.mark.parametrize("words", ["select", "estimate", "compare"])
def test_a_command_refuses_a_bad_file(words, name, tmp_path):
    path = tmp_path / f"data.{SUFFIXES.get(name, 'csv')}"
    path.write_bytes(BAD_FILES[name])
    assert_refused(run(*command(words, path, "a")))
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["data.csv", "folder", "data.parquet", "", ".", "n" * 300])
@pytest.mark.parametrize("words", ["select", "estimate", "compare", "report"])
def test_a_command_refuses_a_path_that_holds_nothing(words, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    assert_refused(run("report", name) if words == "report" else run(*command(words, name, "a")))


@pytest.mark.parametrize("name", ["all missing", "all identifiers", "names in markup and controls", "mixed objects"])
@pytest.mark.parametrize("entry", ["vetting", "paper", "FOCISelector"])
def test_the_report_of_an_odd_table_is_drawn(entry, name, tmp_path):
    saved, page = tmp_path / "selection.json", tmp_path / "page.html"
    saved.write_text(ENTRIES[entry](odd.GOOD_TABLES[name](), odd.labels()))
    assert run("report", saved, "--out", page).exit_code == 0
    assert "<script>alert" not in page.read_text()
    assert Selection.load(saved).headline


BAD_SELECTIONS = {
    "nothing": b"",
    "no text": bytes(range(256)),
    "an open bracket": b"[" * 100_000,
    "a number": b"1",
    "no version": b"{}",
    "no features": b'{"schema_version": 1}',
    "a table": b"a,b\n1,2\n",
    "a number that is none": b'{"schema_version": 1, "target": "y", "features": [], "n_rows": NaN}',
    "a whole number of many digits": b'{"schema_version": ' + b"9" * 5000 + b"}",
}


@pytest.mark.parametrize("name", BAD_SELECTIONS)
def test_the_report_refuses_what_is_no_selection(name, tmp_path):
    saved = tmp_path / "selection.json"
    saved.write_bytes(BAD_SELECTIONS[name])
    assert_refused(run("report", saved, "--out", tmp_path / "page.html"))
    assert list(tmp_path.iterdir()) == [saved]
