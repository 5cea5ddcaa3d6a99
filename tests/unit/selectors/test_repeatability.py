"""Claims about what does not change an answer: the run, the order of the columns, their spelling."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pandas as pd
import pytest
import torch

from minerva_select import MinervaSelector
from minerva_select.results import FeatureResult

pytestmark = pytest.mark.usefixtures("use_small_fits")


def fit(X, y, **parameters):
    return MinervaSelector(**{"random_state": 0, **parameters}).fit(X, y)


def renamed(result: FeatureResult, names: dict[str, str]) -> FeatureResult:
    """The same result under other names of the columns."""

    return dataclasses.replace(
        result,
        feature=names[result.feature],
        reason=dataclasses.replace(result.reason, columns=tuple(names[name] for name in result.reason.columns)),
        partners=tuple(names[name] for name in result.partners),
        substitutes=tuple(names[name] for name in result.substitutes),
    )


def test_permuting_the_columns_of_a_frame_permutes_the_answer(fitted, pair):
    order = ["f4", "f2", "f3", "f0", "f1"]
    answer = fit(pair.X[order], pair.y)
    by_name = {result.feature: result for result in fitted.selection_.features}
    assert answer.selection_.features == tuple(by_name[name] for name in order)
    assert answer.selection_.mutual_information == fitted.selection_.mutual_information
    assert answer.history_ == fitted.history_


def test_permuting_the_columns_of_an_array_permutes_the_answer(fitted, pair):
    order = [4, 2, 3, 0, 1]
    answer = fit(pair.X.to_numpy()[:, order], pair.y)
    names = {f"x{place}": f"f{column}" for place, column in enumerate(order)}
    translated = {names[result.feature]: renamed(result, names) for result in answer.selection_.features}
    assert translated == {result.feature: result for result in fitted.selection_.features}


def test_columns_of_mixed_kinds_permute_too(pair):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"amount": rng.normal(size=300), "word": rng.choice(["a", "b"], size=300), "hole": rng.normal(size=300)}
    )
    X.loc[rng.random(300) < 0.3, "hole"] = np.nan
    y = (X["amount"] > 0) ^ (X["word"] == "a")
    first, second = fit(X, y), fit(X[["hole", "word", "amount"]], y)
    assert first.selection_.selected == ("amount", "word")
    assert first.selection_.features == second.selection_.features[::-1]


def test_other_names_of_the_columns_change_nothing_but_the_names(fitted, pair):
    names = {f"f{k}": name for k, name in enumerate(["zeta", "alpha", "mu", "beta", "f0"])}
    answer = fit(pair.X.rename(columns=names), pair.y)
    assert answer.selection_.features == tuple(renamed(result, names) for result in fitted.selection_.features)


def test_spelling_the_levels_as_text_changes_no_selection(fitted, pair):
    spelled = fit(pair.X.astype(str), pair.y.astype(str))
    assert spelled.support_.tolist() == fitted.support_.tolist()
    assert spelled.selection_.target_entropy == fitted.selection_.target_entropy


def test_a_seed_and_a_random_state_of_that_seed_are_the_same(fitted, pair):
    answer = fit(pair.X, pair.y, random_state=np.random.RandomState(0))
    assert answer.selection_.features == fitted.selection_.features


def test_a_fit_neither_reads_nor_moves_the_global_random_numbers(fitted, pair):
    torch.manual_seed(5), np.random.seed(5), random.seed(5)  # noqa: NPY002 - the global state is the point
    expected = torch.rand(3), np.random.rand(3), random.random()  # noqa: NPY002
    torch.manual_seed(5), np.random.seed(5), random.seed(5)  # noqa: NPY002
    answer = fit(pair.X, pair.y)
    assert answer.selection_.features == fitted.selection_.features
    assert torch.equal(torch.rand(3), expected[0])
    np.testing.assert_array_equal(np.random.rand(3), expected[1])  # noqa: NPY002
    assert random.random() == expected[2]


def test_a_fit_changes_neither_its_table_nor_its_parameters(pair):
    X, y, keep = pair.X.copy(), pair.y.copy(), ["f1"]
    selector = fit(X, y, keep=keep)
    pd.testing.assert_frame_equal(X, pair.X)
    pd.testing.assert_series_equal(y, pair.y)
    assert selector.keep is keep
    assert keep == ["f1"]
