"""Every entry point handles unusual input and refuses invalid input with a one-sentence error."""

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
from minerva_select import mutual_information, open_source, selectors
from minerva_select.cli import app
from minerva_select.data.loading import read_table
from minerva_select.errors import MinervaError
from minerva_select.evaluation import compare, repeat_fits, score_selection
from minerva_select.report import render
from minerva_select.results import Selection
from minerva_select.selectors import PaperSelector

FAST_PARAMETERS = {
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


def make_fit(name):
    def fit(X, y, **row_metadata):
        selector = getattr(selectors, name)(random_state=0, **FAST_PARAMETERS.get(name, {}))
        return selector.fit(X, y, **row_metadata).selection_.to_json()

    return fit


def estimate(X, y, **row_metadata):
    return json.dumps(dataclasses.asdict(mutual_information(X, y, random_state=0, **row_metadata)), allow_nan=False)


def run_compare(X, y):
    """Compare two methods in this process; methods that failed must report errors of this package only."""
    with joblib.parallel_config(backend="sequential"):
        comparison = compare(X, y, ["forest", "ksg"])
    for result in (*comparison.results, comparison.all_features):
        for failure in result.failures:
            assert not re.search(r"\b\w*(Error|Warning|Exception)\b", failure.message), failure
    return comparison.to_json()


SOLVERS = ("MinervaSelector", "PaperSelector")
BASELINES = sorted(name for name in selectors.__all__ if name.endswith("Selector") and name not in SOLVERS)
FITS = {name: make_fit(name) for name in (*SOLVERS, *BASELINES)}
ENTRIES = {**FITS, "mutual_information": estimate, "compare": run_compare}
MULTIPLE_TARGET_ENTRIES = (*SOLVERS, "mutual_information")

# Rules that only one method has, with a key part of the message
METHOD_RULES = {
    ("FOCISelector", "one row that is not missing"): "FOCI",
    ("KSGSelector", "all unique strings"): "KSG",
    ("compare", "six rows"): "each part needs 6",
    ("compare", "seven rows"): "each part needs 6",
    ("compare", "a class with one row"): "only one value in the held-out rows",
}
WITHOUT_NAMES = ("mutual_information", "compare")  # these store no feature names, so any type is fine

# A comparison trains several models, so it runs only on tables that models may not handle.
COMPARED = (
    "one column",
    "all missing",
    "all constant",
    "markup and control characters in names",
    "mixed objects",
    "a mparameters array",
    "integers beyond 63 bits",
    "booleans and NaN",
    "dates with a time zone",
    "unpaired surrogates in strings",
    "unordered categories",
    "polars 128-bit integers",
    "largest and smallest floats",
    "six rows",
    "seven rows",
    "one row that is not missing",
    "strings",
    "large floats",
    "one outlier",
    "a class with one row",
    "all unique strings",
    "a copy of a numeric feature",
)


def cases(entries, names):
    """Every entry with every case, but comparisons only with those in COMPARED."""
    return [(entry, name) for name in names for entry in entries if entry != "compare" or name in COMPARED]


def n_rows_of(X):
    return len(X) if getattr(X, "ndim", 0) and isinstance(X, np.ndarray | pd.DataFrame) else odd.N_ROWS


@contextlib.contextmanager
def refused(key_part):
    """Expect a one-sentence MinervaError that contains the key part."""
    with pytest.raises(MinervaError) as caught:
        yield
    assert_one_sentence(str(caught.value), key_part)


def check_result(entry, name, call):
    """Expect finite numbers, or the error of a rule that only this method has."""
    if (entry, name) in METHOD_RULES:
        with refused(METHOD_RULES[entry, name]):
            call()
    else:
        assert_finite(call())


@pytest.mark.parametrize(("entry", "name"), cases(ENTRIES, odd.VALID_TABLES))
def test_unusual_tables_are_fitted(entry, name):
    X = odd.VALID_TABLES[name]()
    check_result(entry, name, lambda: ENTRIES[entry](X, odd.labels(n_rows_of(X))))


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("name", odd.INVALID_TABLES)
def test_invalid_tables_are_refused(entry, name):
    make, key_part = odd.INVALID_TABLES[name]
    X = make()
    n_rows = n_rows_of(X)
    if name == "names of several types" and entry in WITHOUT_NAMES:
        assert_finite(ENTRIES[entry](X, odd.labels(n_rows)))
        return
    with refused("" if entry == "compare" and name in odd.TOO_FEW_ROWS else key_part):
        ENTRIES[entry](X, odd.labels(n_rows))


@pytest.mark.parametrize(("entry", "name"), cases(ENTRIES, odd.VALID_TARGETS))
def test_unusual_targets_are_fitted(entry, name):
    check_result(entry, name, lambda: ENTRIES[entry](odd.frame_with(odd.FLAGS), odd.VALID_TARGETS[name]()))


@pytest.mark.parametrize("entry", FITS)
@pytest.mark.parametrize("name", ["unique strings", "integers beyond 63 bits", "polars 128-bit integers"])
def test_unusual_tables_are_fitted_to_a_numeric_target(entry, name):
    assert_finite(FITS[entry](odd.VALID_TABLES[name](), odd.FLOATS))


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("name", odd.MULTIPLE_TARGETS)
def test_multiple_targets_are_fitted_or_refused(entry, name):
    X, y = odd.frame_with(odd.FLAGS), odd.MULTIPLE_TARGETS[name]()
    if entry in MULTIPLE_TARGET_ENTRIES:
        assert_finite(ENTRIES[entry](X, y))
    else:
        with refused("choose one"):
            ENTRIES[entry](X, y)


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("name", odd.INVALID_TARGETS)
def test_invalid_targets_are_refused(entry, name):
    make, key_part = odd.INVALID_TARGETS[name]
    with refused(key_part):
        ENTRIES[entry](odd.frame_with(odd.FLAGS), make())


def accepts(entry, row_metadata):
    """Whether an entry point has these parameters."""
    function = mutual_information if entry == "mutual_information" else getattr(selectors, entry, compare)
    function = getattr(function, "fit", function)
    return row_metadata.keys() <= inspect.signature(function).parameters.keys()


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        (entry, name)
        for name in odd.VALID_ROW_METADATA
        for entry in ENTRIES
        if accepts(entry, odd.VALID_ROW_METADATA[name])
    ],
)
def test_unusual_row_metadata_is_accepted(entry, name):
    assert_finite(ENTRIES[entry](odd.frame_with(odd.FLAGS), odd.labels(), **odd.VALID_ROW_METADATA[name]))


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        (entry, name)
        for name in odd.INVALID_ROW_METADATA
        for entry in ENTRIES
        if accepts(entry, odd.INVALID_ROW_METADATA[name][0])
    ],
)
def test_invalid_row_metadata_is_refused(entry, name):
    row_metadata, key_part = odd.INVALID_ROW_METADATA[name]
    with refused(key_part):
        ENTRIES[entry](odd.frame_with(odd.FLAGS), odd.labels(), **row_metadata)


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_same_table_gives_the_same_result(entry):
    X = pd.concat(
        [
            odd.VALID_TABLES[name]()[["odd"]].set_axis([name], axis=1)
            for name in ("mixed objects", "booleans and NaN", "bytes")
        ]
        + [odd.frame_with(odd.FLOATS.astype(np.float16))],
        axis=1,
    )
    first, second = (json.loads(ENTRIES[entry](X, odd.labels())) for _ in range(2))
    assert without_times(first) == without_times(second)


def without_times(document):
    """A result without its date and its running times."""
    if isinstance(document, dict):
        return {name: without_times(value) for name, value in document.items() if name not in ("seconds", "created")}
    return [without_times(item) for item in document] if isinstance(document, list) else document


@pytest.mark.parametrize(
    "entry",
    [
        "RandomForestSelector",
        *(
            pytest.param(entry, marks=pytest.mark.slow)  # the screen of all pairs takes more than ten seconds
            for entry in ("MinervaSelector", "mutual_information", "FOCISelector", "KSGSelector")
        ),
    ],
)
def test_ten_thousand_columns_are_fitted(entry):
    X = np.random.default_rng(0).integers(0, 2, size=(12, 10_000)).astype(np.float32)
    assert_finite(ENTRIES[entry](X, X[:, 7]))


FOREST = {"n_estimators": 2, "random_state": 0}


@pytest.mark.filterwarnings("ignore:No features were selected")
@pytest.mark.parametrize("name", odd.VALID_TABLES)
def test_transform_returns_every_column_of_unusual_tables(name):
    make = odd.VALID_TABLES[name]
    n_columns = selectors.RandomForestSelector(**FOREST).fit(make(), odd.labels(n_rows_of(make()))).n_features_in_
    selector = selectors.RandomForestSelector(n_columns, **FOREST).fit(make(), odd.labels(n_rows_of(make())))
    assert selector.transform(make()).shape == (n_rows_of(make()), selector.support_.sum())


@pytest.mark.filterwarnings("ignore:X (has|does not have valid) feature names")
@pytest.mark.filterwarnings("ignore:DataFrameGroupBy.dtypes is deprecated")  # by pandas 2.2
@pytest.mark.parametrize("name", odd.INVALID_CONTAINERS)
def test_invalid_containers_cannot_be_transformed(name):
    for X in (odd.frame_with(odd.FLAGS), np.stack([odd.FLOATS, odd.FLAGS], axis=1)):
        selector = selectors.RandomForestSelector(**FOREST).fit(X, odd.labels())
        with pytest.raises(MinervaError) as caught:
            selector.transform(odd.INVALID_CONTAINERS[name][0]())
        message = str(caught.value)
        # scikit-learn's checks prescribe this message, which has several lines
        if not message.startswith("The feature names should match those that were passed during fit."):
            assert_one_sentence(message)


def test_columns_that_polars_cannot_hold_are_refused_as_polars_output():
    X = odd.VALID_TABLES["longdouble"]()
    selector = selectors.RandomForestSelector(3, **FOREST).set_output(transform="polars").fit(X, odd.labels())
    with refused("polars"):
        selector.transform(X)


def is_refused(call):
    """Whether a call raises a MinervaError, which must be one sentence."""
    try:
        call()
    except MinervaError as error:
        message = str(error)
    else:
        return False
    assert_one_sentence(message.replace("...", "").replace(". ", " "))  # the message may quote the value
    return True


def fit_forest(**parameters):
    return selectors.RandomForestSelector(**FOREST | parameters).fit(odd.frame_with(odd.FLAGS), odd.labels())


def parameters_of(call):
    return [name for name in inspect.signature(call).parameters if name not in ("X", "y")]


@pytest.mark.parametrize(
    ("name", "parameter"),
    [(name, parameter) for name in BASELINES for parameter in parameters_of(getattr(selectors, name))],
)
def test_baselines_accept_or_refuse_any_parameter_value(name, parameter):
    for value in odd.ODD_VALUES.values():
        selector = getattr(selectors, name)(**{"random_state": 0, **FAST_PARAMETERS.get(name, {}), parameter: value})
        with joblib.parallel_config(backend="sequential"):  # for any n_jobs
            is_accepted = not is_refused(
                lambda selector=selector: selector.fit(odd.frame_with(odd.FLAGS), odd.labels())
            )
        if is_accepted:
            assert_finite(selector.selection_.to_json())


@pytest.mark.parametrize("parameter", parameters_of(PaperSelector))  # all parameters of MinervaSelector and five more
def test_solvers_accept_or_refuse_any_parameter_value(parameter, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a string is a valid cache_dir
    for value in odd.ODD_VALUES.values():
        selector = PaperSelector(**{"random_state": 0, parameter: value})
        if not is_refused(lambda selector=selector: selector.fit(odd.frame_with(odd.FLAGS), odd.labels())):
            assert_finite(selector.selection_.to_json())


@pytest.mark.parametrize("parameter", parameters_of(mutual_information))
def test_estimates_accept_or_refuse_any_parameter_value(parameter):
    found = []
    for value in odd.ODD_VALUES.values():
        parameters = {parameter: value}
        is_refused(
            lambda parameters=parameters: found.append(
                mutual_information(odd.frame_with(odd.FLAGS), odd.labels(), **parameters)
            )
        )
    assert all(math.isfinite(estimate.nats) for estimate in found)


# Functions with other parameters than tables, and valid arguments for them
CALLS = {
    compare: {
        "X": odd.frame_with(odd.FLAGS)[:6],
        "y": odd.labels(6),
        "methods": ["forest"],
    },  # too few rows, so that it fails early
    repeat_fits: {
        "selector": selectors.KSGSelector(),
        "X": odd.frame_with(odd.FLAGS),
        "y": odd.labels(),
        "n_repeats": 1,
    },
    score_selection: {"selected": ["a"], "relevant": ["a"]},
    read_table: {"path": "no.csv"},
    open_source: {"data": odd.frame_with(odd.FLAGS)},
    Selection.load: {"path": "no.json"},
    Selection.from_json: {"document": "{}"},
    render: {"selection": None},
}


@pytest.mark.parametrize(
    ("call", "parameter"),
    [
        (call, parameter)
        for call in CALLS
        for parameter in parameters_of(call)
        if parameter not in ("progress", "folder", "source")
    ],
)
def test_functions_accept_or_refuse_any_parameter_value(call, parameter, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for value in odd.ODD_VALUES.values():
        is_refused(lambda value=value: call(**CALLS[call] | {parameter: value}))


@pytest.mark.parametrize("name", [name for name, value in odd.ODD_VALUES.items() if not isinstance(value, str)])
@pytest.mark.parametrize("write", [Selection.save, Selection.report])
def test_selections_are_written_only_to_paths(write, name):
    with refused("path must be"):
        write(fit_forest().selection_, odd.ODD_VALUES[name])


def write_parquet(X, path):
    """Write a table with a target column ``answer`` as Parquet."""
    if isinstance(X, np.ndarray):
        X = pd.DataFrame(X).rename(columns="x{}".format)
    if isinstance(X, pl.DataFrame):
        X = X.to_arrow()
    X = X if isinstance(X, pa.Table) else pa.Table.from_pandas(X, preserve_index=False)
    parquet.write_table(X.append_column("answer", pa.array(odd.labels(len(X)))), path)


TABLES_AS_FILES = (
    "one column",
    "six rows",
    "all missing",
    "all constant",
    "all identifiers",
    "an empty column name",
    "a boolean array",
    "markup and control characters in names",
    "unusual Unicode in names",
    "float16",
    "uint64",
    "dates with a time zone",
    "durations",
    "very long strings",
    "unusual Unicode strings",
    "unordered categories",
    "decimals",
    "nullable booleans",
    "polars nulls",
    "polars times",
    "polars bytes",
    "an Arrow dictionary of integers",
    "Arrow bytes",
    "Arrow decimals",
    "Arrow date32",
    "largest and smallest floats",
    "one row that is not missing",
)
INVALID_FILES = {
    "an empty file": b"",
    "a newline": b"\n",
    "a header without rows": b"a,b,answer\n",
    "one row": b"a,b,answer\n1,2,3\n",
    "duplicate names": b"a,a,answer\n" + b"1,2,0\n2,1,1\n" * 9,
    "rows of unequal length": b"a,b,answer\n" + b"1,2,0\n2,1\n" * 9,
    "infinities": b"a,b,answer\n" + b"inf,2,0\n-inf,1,1\n" * 9,
    "a constant target": b"a,b,answer\n" + b"1,2,0\n2,1,0\n" * 9,
    "a target with missing values": b"a,b,answer\n" + b"1,2,0\n2,1,\n3,1,1\n" * 9,
    "no target column": b"a,b,c\n" + b"1,2,0\n2,1,1\n" * 9,
    "only the target column": b"answer\n" + b"0\n1\n" * 9,
    "an unclosed quote": b'a,b,answer\n"1,2,0\n' * 9,
    "binary data": bytes(range(256)) * 9,
    "UTF-16": "a,b,answer\n1,2,3\n".encode("utf-16"),
    "a broken Parquet file": b"PAR1" + b"\x00" * 99 + b"PAR1",
    "a broken Arrow file": b"ARROW1\x00\x00" + b"\x00" * 99,
}
UNUSUAL_FILES = {
    "a string target": b"a,b,answer\n" + b"1,2,yes\n2,1,no\n3,5,no\n" * 9,
    "empty feature columns": b"a,b,answer\n" + b",,0\n,,1\n" * 9,
    "a target of unique values": b"a,b,answer\n" + b"".join(b"%d,%d,%d.5\n" % (i, i % 3, i) for i in range(30)),
    "a byte order mark": b"\xef\xbb\xbfa,b,answer\r\n" + b"1,x,0\r\n2,y,1\r\n3,x,1\r\n" * 9,
    "quoted names": b'a,"b,\n<b>""",answer\n' + b"1,2,0\n2,1,1\n3,1,1\n" * 9,
}
SUFFIXES = {"a broken Parquet file": "parquet", "a broken Arrow file": "feather"}


def arguments_of(command, path, x):
    """Arguments of a command that reads a table."""
    return {
        "select": ["select", path, "--target", "answer", "--json"],
        "estimate": ["estimate", path, "--x", x, "--y", "answer", "--json"],
        "compare": ["compare", path, "--target", "answer", "--methods", "forest", "--json"],
    }[command]


def run(*arguments):
    with joblib.parallel_config(backend="sequential"):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])


def assert_refused(result):
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("minerva: ")
    assert_one_sentence(result.stderr.removeprefix("minerva: ").removesuffix("\n"))


@pytest.mark.parametrize("name", TABLES_AS_FILES)
@pytest.mark.parametrize("command", ["select", "estimate", "compare"])
def test_commands_accept_unusual_tables(command, name, tmp_path):
    path = tmp_path / "data.parquet"
    write_parquet(odd.VALID_TABLES[name](), path)
    result = run(*arguments_of(command, path, parquet.read_schema(path).names[0]))
    if name == "six rows" and command == "compare":
        assert_refused(result)
    else:
        assert result.exit_code == 0, result.stderr
        assert_finite(result.stdout)


@pytest.mark.parametrize("name", UNUSUAL_FILES)
@pytest.mark.parametrize("command", ["select", "estimate", "compare"])
def test_commands_accept_unusual_files(command, name, tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(UNUSUAL_FILES[name])
    result = run(*arguments_of(command, path, "a"))
    assert result.exit_code == 0, result.stderr
    assert_finite(result.stdout)


@pytest.mark.parametrize("name", INVALID_FILES)
@pytest.mark.parametrize("command", ["select", "estimate", "compare"])
def test_commands_refuse_invalid_files(command, name, tmp_path):
    path = tmp_path / f"data.{SUFFIXES.get(name, 'csv')}"
    path.write_bytes(INVALID_FILES[name])
    assert_refused(run(*arguments_of(command, path, "a")))
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["data.csv", "folder", "data.parquet", "", ".", "n" * 300])
@pytest.mark.parametrize("command", ["select", "estimate", "compare", "report"])
def test_commands_refuse_paths_without_data(command, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    assert_refused(run("report", name) if command == "report" else run(*arguments_of(command, name, "a")))


@pytest.mark.parametrize(
    "name", ["all missing", "all identifiers", "markup and control characters in names", "mixed objects"]
)
@pytest.mark.parametrize("entry", ["MinervaSelector", "PaperSelector", "FOCISelector"])
def test_reports_of_unusual_tables_are_rendered(entry, name, tmp_path):
    saved, page = tmp_path / "selection.json", tmp_path / "page.html"
    saved.write_text(ENTRIES[entry](odd.VALID_TABLES[name](), odd.labels()))
    assert run("report", saved, "--out", page).exit_code == 0
    assert "<script>alert" not in page.read_text()
    assert Selection.load(saved).headline


INVALID_SELECTIONS = {
    "an empty file": b"",
    "binary data": bytes(range(256)),
    "unclosed brackets": b"[" * 100_000,
    "a number": b"1",
    "no version": b"{}",
    "no features": b'{"schema_version": 1}',
    "a table": b"a,b\n1,2\n",
    "NaN as a number": b'{"schema_version": 1, "target": "y", "features": [], "n_rows": NaN}',
    "an integer with many digits": b'{"schema_version": ' + b"9" * 5000 + b"}",
}


@pytest.mark.parametrize("name", INVALID_SELECTIONS)
def test_report_refuses_files_that_are_not_selections(name, tmp_path):
    saved = tmp_path / "selection.json"
    saved.write_bytes(INVALID_SELECTIONS[name])
    assert_refused(run("report", saved, "--out", tmp_path / "page.html"))
    assert list(tmp_path.iterdir()) == [saved]
