"""Claims about what is refused: in one sentence that names the place and the remedy, before any training."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from minerva_select import MinervaSelector, mutual_information
from minerva_select.errors import InputError, InputTypeError, MinervaError
from minerva_select.selectors import PaperSelector

N_ROWS = 60


class TrainingStartedError(Exception):
    """Raised in place of a training."""


@pytest.fixture(autouse=True)
def _no_training(monkeypatch):
    def start(*_, **__):
        raise TrainingStartedError

    # Each by the name under which it is called
    for module in ("minerva_select.mi.critic_training", "minerva_select.solvers.paper"):
        monkeypatch.setattr(f"{module}.train", start)


def table(**columns):
    """Two columns of 60 rows, and more."""
    rng = np.random.default_rng(0)
    return pd.DataFrame({"amount": rng.normal(size=N_ROWS), "country": ["NL", "IT", "US"] * (N_ROWS // 3), **columns})


def labels(**changes):
    """A target of two classes with some rows changed, each given as row_<number>."""
    values = pd.Series([0.0, 1.0] * (N_ROWS // 2), name="fraud")
    for row, value in changes.items():
        values[int(row.removeprefix("row_"))] = value
    return values


def with_cell(value, name="amount"):
    """The table with one cell replaced."""
    frame = table()
    frame.loc[3, name] = value
    return frame


def weights(**changes):
    values = np.ones(N_ROWS)
    for row, value in changes.items():
        values[int(row.removeprefix("row_"))] = value
    return values


def duplicated():
    return pd.DataFrame(np.random.default_rng(0).normal(size=(N_ROWS, 2)), columns=["amount", "amount"])


def arrow_duplicated():
    return pa.table([pa.array(range(N_ROWS))] * 2, names=["amount", "amount"])


LISTS = [[1, 2]] * N_ROWS

# name of the case: X, what the sentence must hold
BAD_TABLES = {
    "a number": (5, "type int"),
    "nothing": (None, "type NoneType"),
    "a file name": ("data.csv", "open_source"),
    "a dictionary": ({"amount": [1, 2]}, "type dict"),
    "one dimension": (np.zeros(N_ROWS), "two dimensions"),
    "three dimensions": (np.zeros((N_ROWS, 2, 2)), "two dimensions"),
    "rows of unequal length": ([[1, 2], [1]], "length"),
    "no rows": (table()[:0], "0 sample(s)"),
    "no columns": (table()[[]], "0 feature(s)"),
    "no rows in polars": (pl.from_pandas(table()[:0]), "0 sample(s)"),
    "an infinite value": (with_cell(np.inf), "'amount' has 1 infinite value"),
    "a negative infinite value": (with_cell(-np.inf), "'amount' has 1 infinite value"),
    "an infinite value in an array": (np.where(np.eye(N_ROWS, 2), -np.inf, 0.0), "'x0' has 1 infinite value"),
    "a column of lists": (table(items=LISTS), "'items' has list"),
    "a column of lists in polars": (pl.from_pandas(table(items=LISTS)), "'items' has List"),
    "a column of lists in Arrow": (pa.table({"items": LISTS}), "'items' has list"),
    "a column of structures": (pa.table({"items": [{"a": 1}] * N_ROWS}), "'items' has struct"),
    "complex numbers": (table(wave=1j), "'wave' has complex"),
    "one name twice": (duplicated(), "'amount' occurs more than once"),
    "one name twice in Arrow": (arrow_duplicated(), "'amount' occurs more than once"),
}

BAD_TARGETS = {
    "none": (None, "None"),
    "constant numbers": (np.ones(N_ROWS), "'y' has only one value (1 in all"),
    "constant text": (pd.Series(["no"] * N_ROWS, name="fraud"), "'fraud' has only one value ('no'"),
    "one of two constant": (pd.DataFrame({"a": labels(), "b": 0}), "'b' has only one value"),
    "a missing number": (labels(row_4=np.nan), "'fraud' has 1 missing value"),
    "a missing text": (pd.Series(["no", None] * (N_ROWS // 2), name="fraud"), "'fraud' has 30 missing values"),
    "an infinite number": (labels(row_4=np.inf), "'fraud' has 1 infinite value"),
    "fewer rows": (labels()[:50], "[60, 50]"),
    "more rows": (np.arange(N_ROWS + 1), "[60, 61]"),
    "a column of lists": (pd.Series(LISTS, name="fraud"), "'fraud' has list"),
    "a word": ("fraud", "y has type str"),
}

# name of the case: parameters, what the sentence must hold
BAD_PARAMETERS = {
    "keep unknown": ({"keep": ["amuont"]}, "(in keep) 'amuont'; did you mean 'amount'"),
    "drop unknown": ({"drop": ["contry"]}, "(in drop) 'contry'; did you mean 'country'"),
    "groups unknown": (
        {"feature_groups": [["amount", "contry"]]},
        "(in feature_groups) 'contry'; did you mean 'country'",
    ),
    "named groups unknown": (
        {"feature_groups": {"g": ["amuont"]}},
        "(in feature_groups) 'amuont'; did you mean 'amount'",
    ),
    "categorical unknown": (
        {"categorical_features": ["contry"]},
        "(in categorical_features) 'contry'; did you mean 'country'",
    ),
    "nothing near": ({"keep": ["zzz"]}, "choose from 'amount', 'country'"),
    "a place beyond the columns": ({"keep": [2]}, "'2'"),
    "keep and drop": ({"keep": ["amount"], "drop": ["amount"]}, "'amount' is named in both keep and drop"),
    "keep is nothing": ({"keep": None}, "keep must be a list of column names, got None"),
    "drop is a fraction": ({"drop": 1.5}, "drop must be a list of column names, got 1.5"),
    "groups is a number": ({"feature_groups": 5}, "feature_groups must be a list of lists"),
    "groups is a list of names": ({"feature_groups": ["amount", "country"]}, "feature_groups must be a list of lists"),
    "a column in two groups": (
        {"feature_groups": [["amount"], ["country", "amount"]]},
        "'amount' is in feature_groups twice",
    ),
    "categorical is a word": ({"categorical_features": "country"}, "categorical_features must be 'auto' or a list"),
    "more features than columns": ({"n_features_to_select": 3}, "n_features_to_select is 3, but there are 2 columns"),
    "no features": ({"n_features_to_select": 0}, "got 0"),
    "a negative number of features": ({"n_features_to_select": -1}, "got -1"),
    "a fraction of the features": ({"n_features_to_select": 1.5}, "got 1.5"),
    "a truth value of features": ({"n_features_to_select": True}, "got True"),
    "fewer features than kept": (
        {"n_features_to_select": 1, "keep": ["amount", "country"]},
        "n_features_to_select is 1, but keep names 2",
    ),
    "no time": ({"time_limit": 0}, "time_limit must be above 0, got 0"),
    "negative time": ({"time_limit": -3.0}, "time_limit must be above 0, got -3.0"),
    "unknown device": ({"device": "abacus"}, "device 'abacus' cannot be used here"),
    "no device": ({"device": None}, "device 'None' cannot be used here"),
    "unknown target_type": ({"target_type": "discreet"}, "no target_type 'discreet'; did you mean 'discrete'"),
    "unknown redundant": ({"redundant": "keeep"}, "no redundant 'keeep'; did you mean 'keep'"),
    "unusable seed": ({"random_state": "seven"}, "random_state must be a whole number"),
    "negative seed": ({"random_state": -1}, "random_state must be a whole number"),
    "callbacks is nothing": ({"callbacks": None}, "callbacks must be a list of functions, got None"),
    "a callback that cannot be called": ({"callbacks": [1]}, "callbacks must be a list of functions, got [1]"),
}

BAD_COEFFICIENTS = {
    "negative sparsity": ({"sparsity": -0.1}, "sparsity must be 0 or more, got -0.1"),
    "negative norm_drift": ({"norm_drift": -1}, "norm_drift must be 0 or more, got -1"),
    "negative target_norm": ({"target_norm": -1}, "target_norm must be 0 or more, got -1"),
    "negative threshold": ({"threshold": -1e-5}, "threshold must be 0 or more, got -1e-05"),
    "no learning_rate": ({"learning_rate": 0.0}, "learning_rate must be above 0, got 0.0"),
    "sparsity is not a number": ({"sparsity": "much"}, "sparsity must be a finite number, got 'much'"),
    "sparsity is NaN": ({"sparsity": np.nan}, "sparsity must be a finite number, got nan"),
}
BAD_WEIGHTS = {
    "negative": (weights(row_2=-1.0), "1 negative value"),
    "wrong length": (np.ones(N_ROWS - 1), "shape (59,) and X has 60 rows"),
    "two dimensions": (np.ones((N_ROWS, 1)), "shape (60, 1)"),
    "NaN": (weights(row_2=np.nan), "missing or infinite"),
    "infinite": (weights(row_2=np.inf), "missing or infinite"),
    "text": (["a"] * N_ROWS, "must be numbers"),
    "all zero": (np.zeros(N_ROWS), "zero in every row"),
    "only one class counts": (labels().to_numpy(), "'fraud' has only one value in the rows"),
    "too few rows count": (np.arange(N_ROWS) < 4, "4 samples are too few"),
}


def assert_one_sentence(error, words):
    message = str(error)
    assert words in message
    assert "\n" not in message
    assert message[-1] in ".?"  # a question where a name is near
    assert ". " not in message[:-1]


@pytest.fixture(params=[MinervaSelector, PaperSelector])
def fit(request):
    """Fit with either selector."""

    def run(X, y, sample_weight=None, **parameters):
        request.param(**{"random_state": 0, **parameters}).fit(X, y, sample_weight)

    return run


def test_a_good_table_reaches_the_training(fit):
    with pytest.raises(TrainingStartedError):
        fit(table(), labels())
    with pytest.raises(TrainingStartedError):
        mutual_information(table(), labels())


@pytest.mark.parametrize(("X", "words"), BAD_TABLES.values(), ids=BAD_TABLES)
def test_a_bad_table_is_refused(fit, X, words):
    for use in (fit, mutual_information):
        with pytest.raises((InputError, InputTypeError)) as caught:
            use(X, labels())
        assert_one_sentence(caught.value, words)


def test_names_of_several_types_are_refused(fit):
    with pytest.raises(InputTypeError) as caught:
        fit(table().rename(columns={"country": 1}), labels())
    assert_one_sentence(caught.value, "make all of them text")


@pytest.mark.parametrize(("y", "words"), BAD_TARGETS.values(), ids=BAD_TARGETS)
def test_a_bad_target_is_refused(fit, y, words):
    for use in (fit, mutual_information):
        with pytest.raises((InputError, InputTypeError)) as caught:
            use(table(), y)
        assert_one_sentence(caught.value, words)


@pytest.mark.parametrize(("parameters", "words"), BAD_PARAMETERS.values(), ids=BAD_PARAMETERS)
def test_a_bad_parameter_is_refused(fit, parameters, words):
    with pytest.raises(InputError) as caught:
        fit(table(), labels(), **parameters)
    assert_one_sentence(caught.value, words)


@pytest.mark.parametrize(("parameters", "words"), BAD_COEFFICIENTS.values(), ids=BAD_COEFFICIENTS)
def test_a_bad_coefficient_of_the_paper_is_refused(parameters, words):
    with pytest.raises(InputError) as caught:
        PaperSelector(**parameters).fit(table(), labels())
    assert_one_sentence(caught.value, words)


@pytest.mark.parametrize(("sample_weight", "words"), BAD_WEIGHTS.values(), ids=BAD_WEIGHTS)
def test_bad_weights_are_refused(fit, sample_weight, words):
    with pytest.raises(InputError) as caught:
        fit(table(), labels(), sample_weight)
    assert_one_sentence(caught.value, words)


@pytest.mark.parametrize("n_rows", [1, 2, 5])
def test_rows_that_cannot_be_split_are_refused(fit, n_rows):
    y = np.arange(n_rows) if n_rows > 1 else None
    for use in (fit, mutual_information):
        with pytest.raises(InputError) as caught:
            use(table()[:n_rows], [0] if y is None else y)
        assert_one_sentence(caught.value, f"{n_rows} samples")


def test_text_cannot_be_a_continuous_target(fit):
    y = pd.Series(["no", "yes"] * (N_ROWS // 2), name="fraud")
    for use in (fit, mutual_information):
        with pytest.raises(InputError) as caught:
            use(table(), y, target_type="continuous")
        assert_one_sentence(caught.value, "'fraud' has text")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"given": table()[:50]}, "X has 60 rows and given has 50"),
        ({"given": with_cell(np.inf)}, "'amount' has 1 infinite value"),
        ({"given": 5}, "given has type int"),
        ({"given": np.arange(60)}, "given.reshape(-1, 1) if it is one column"),
        ({"given": table()["amount"]}, "given must have two dimensions"),
        ({"given": table()["amount"]}, "Reshape your data with given.to_frame()"),
        ({"target_type": "discreet"}, "did you mean 'discrete'"),
        ({"categorical_features": ["amuont"]}, "did you mean 'amount'"),
        ({"categorical_features": "amount"}, "categorical_features must be 'auto' or a list"),
        ({"categorical_features": {"amount": "yes"}}, "categorical_features must map names to True"),
        ({"categorical_features": {"amuont": True}}, "did you mean 'amount'"),
        ({"categorical_features": 1.5}, "categorical_features must be a list of column names, got 1.5"),
        ({"device": "abacus"}, "device 'abacus'"),
        ({"random_state": "seven"}, "random_state must be a whole number"),
    ],
)
def test_bad_arguments_of_an_estimate_are_refused(arguments, words):
    with pytest.raises(MinervaError) as caught:
        mutual_information(table(), labels(), **arguments)
    assert_one_sentence(caught.value, words)


def test_a_refused_fit_leaves_no_selection_behind():
    selector = MinervaSelector(keep=["amuont"])
    with pytest.raises(InputError):
        selector.fit(table(), labels())
    assert not hasattr(selector, "selection_")
    assert not hasattr(selector, "support_")
